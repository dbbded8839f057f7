package io.asynq4j.internal.redis.store.schedule;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.ScheduleStore.Known;
import io.asynq4j.internal.broker.ScheduleStore.Unreadable;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.store.task.BatchSplitter;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import io.asynq4j.internal.redis.watch.RedisStoreWatch.Shard;
import io.asynq4j.internal.redis.watch.ShardFanOut;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** Finds the registered schedule entries in the queues of all servers. Thread-safe. */
final class ScheduleCatalog {

  /** How long a listing of all entries waits for a server of a cluster. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final RedisCommandExecutor link;
  private final ScheduleRecords records;
  private final ShardFanOut questions = new ShardFanOut();

  ScheduleCatalog(RedisCommandExecutor link, ScheduleRecords records) {
    this.link = link;
    this.records = records;
  }

  List<Known> known(Consumer<Unreadable> broken) {
    Map<String, String> queues =
        new TreeMap<>(ReplyParser.map(link.callSafe(Command.HGETALL, RedisKeys.SCHEDULES)));
    queues.remove(ScheduleRecords.REVISION);
    Found all = new Found();
    Map<QueueName, List<String>> byQueue = new LinkedHashMap<>();
    queues.forEach(
        (name, queue) -> {
          try {
            byQueue.computeIfAbsent(QueueName.of(queue), any -> new ArrayList<>()).add(name);
          } catch (IllegalArgumentException e) {
            all.unreadable().add(unreadable(name, queue, e));
          }
        });
    Map<QueueName, List<String>> unanswered = new LinkedHashMap<>(byQueue);
    answers(byQueue)
        .forEach(
            (shard, found) -> {
              shard.queues().forEach(unanswered::remove);
              all.known().addAll(found.known());
              all.unreadable().addAll(found.unreadable());
            });
    unanswered.forEach(
        (queue, names) -> {
          String reason = "the Redis server of queue " + queue.value() + " does not answer";
          names.forEach(name -> all.unreadable().add(new Unreadable(name, queue.value(), reason)));
        });
    all.unreadable().forEach(broken);
    all.known().sort(Comparator.comparing(one -> one.entry().name()));
    return all.known();
  }

  /** The entries that were found, and the unreadable ones. */
  private record Found(List<Known> known, List<Unreadable> unreadable) {
    Found() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /**
   * Queries all servers of a cluster at the same time: an unresponsive one hides only its own
   * entries.
   */
  private Map<Shard, Found> answers(Map<QueueName, List<String>> byQueue) {
    Collection<Shard> shards = RedisStoreWatch.shards(link, byQueue.keySet());
    return link.isKnownAsSharded()
        ? questions.askAll(shards, shard -> find(shard, byQueue), PATIENCE)
        : shards.stream().collect(Collectors.toMap(shard -> shard, shard -> find(shard, byQueue)));
  }

  /** Reads the entries of all queues of one server, many per round trip. */
  private Found find(Shard shard, Map<QueueName, List<String>> byQueue) {
    List<Listed> entries = new ArrayList<>();
    for (QueueName queue : shard.queues()) {
      byQueue.getOrDefault(queue, List.of()).forEach(name -> entries.add(new Listed(name, queue)));
    }
    Found found = new Found();
    for (List<Listed> batch : BatchSplitter.of(entries)) {
      List<@Nullable Object> answers =
          link.callAll(shard.slot(), batch.stream().map(Listed::read).toList());
      for (int i = 0; i < batch.size(); i++) {
        find(batch.get(i), answers.get(i), found);
      }
    }
    return found;
  }

  /** An entry and the queue that has its state. */
  private record Listed(String name, QueueName queue) {
    CommandArguments read() {
      return new CommandArguments(Command.HMGET)
          .addObjects(ScheduleRecords.fields(queue, List.of(name)).values());
    }
  }

  /**
   * @param answer anything but a list is an error, such as the redirect of a migrated slot
   */
  private void find(Listed entry, @Nullable Object answer, Found found) {
    try {
      Known known =
          answer instanceof List<?>
              ? ScheduleRecords.known(entry.name(), entry.queue(), ReplyParser.list(answer))
              : records.known(entry.name(), entry.queue());
      if (known != null) {
        found.known().add(known);
      }
    } catch (IllegalArgumentException | BrokerRefusedException e) {
      found.unreadable().add(unreadable(entry.name(), entry.queue().value(), e));
    }
  }

  private Unreadable unreadable(String name, String queue, RuntimeException e) {
    records.unreadables().warn("schedule entry " + name, e, "it is shown as broken");
    String reason = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    return new Unreadable(name, queue, reason);
  }
}
