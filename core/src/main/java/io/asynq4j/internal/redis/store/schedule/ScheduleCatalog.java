package io.asynq4j.internal.redis.store.schedule;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
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
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
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
    Collection<Shard> shards = RedisStoreWatch.shards(link, byQueue.keySet());
    if (link.isKnownAsSharded()) {
      findWhereAnswered(shards, byQueue, all);
    } else {
      shards.forEach(shard -> all.add(find(shard, byQueue)));
    }
    all.unreadable().forEach(broken);
    all.known().sort(Comparator.comparing(one -> one.entry().name()));
    return all.known();
  }

  /** An entry and the queue that has its state. */
  private record Listed(String name, QueueName queue) {}

  /** The entries that were found, and the unreadable ones. */
  private record Found(List<Known> known, List<Unreadable> unreadable) {
    Found() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void add(Found other) {
      known.addAll(other.known);
      unreadable.addAll(other.unreadable);
    }
  }

  /**
   * Queries all servers of a cluster at the same time: an unresponsive one hides only its own
   * entries.
   */
  private void findWhereAnswered(
      Collection<Shard> shards, Map<QueueName, List<String>> byQueue, Found all) {
    Map<QueueName, List<String>> unanswered = new LinkedHashMap<>(byQueue);
    questions
        .askAll(shards, shard -> find(shard, byQueue), PATIENCE)
        .forEach(
            (shard, found) -> {
              shard.queues().forEach(unanswered::remove);
              all.add(found);
            });
    unanswered.forEach(
        (queue, names) -> {
          String reason = "the Redis server of queue " + queue.value() + " does not answer";
          names.forEach(name -> all.unreadable().add(new Unreadable(name, queue.value(), reason)));
        });
  }

  /** Reads the entries of all queues of one server, many per round trip. */
  private Found find(Shard shard, Map<QueueName, List<String>> byQueue) {
    List<Listed> entries = new ArrayList<>();
    for (QueueName queue : shard.queues()) {
      byQueue.getOrDefault(queue, List.of()).forEach(name -> entries.add(new Listed(name, queue)));
    }
    Found found = new Found();
    for (List<Listed> batch : BatchSplitter.of(entries)) {
      List<CommandArguments> commands =
          batch.stream()
              .map(
                  entry ->
                      ScheduleRecords.fieldsOf(
                          entry.queue(), entry.name(), ScheduleRecords.SPEC_AND_STATE))
              .map(args -> new CommandArguments(Command.HMGET).addObjects(args.values()))
              .toList();
      List<@Nullable Object> answers = link.callAll(shard.slot(), commands);
      for (int i = 0; i < batch.size(); i++) {
        find(batch.get(i), answers.get(i), found);
      }
    }
    return found;
  }

  /**
   * @param answer anything but a list is an error, such as the redirect of a migrated slot
   */
  private void find(Listed entry, @Nullable Object answer, Found found) {
    try {
      Optional<Known> known =
          answer instanceof List<?>
              ? known(entry.name(), entry.queue(), ReplyParser.list(answer))
              : find(entry.name(), entry.queue());
      known.ifPresent(found.known()::add);
    } catch (IllegalArgumentException | BrokerRefusedException e) {
      found.unreadable().add(unreadable(entry.name(), entry.queue().value(), e));
    }
  }

  private Unreadable unreadable(String name, String queue, RuntimeException e) {
    records.unreadables().warn("schedule entry " + name, e, "it is shown as broken");
    String reason = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    return new Unreadable(name, queue, reason);
  }

  boolean isListed(String name) {
    return !name.isEmpty() && link.callSafe(Command.HGET, RedisKeys.SCHEDULES, name) != null;
  }

  Known known(String name) {
    return find(name, queueOf(name)).orElseThrow(() -> new ScheduleNotFoundException(name));
  }

  /**
   * @throws IllegalArgumentException if the state cannot be read
   */
  private Optional<Known> find(String name, QueueName queue) {
    return known(name, queue, records.fields(queue, name, ScheduleRecords.SPEC_AND_STATE));
  }

  private static Optional<Known> known(
      String name, QueueName queue, List<@Nullable Object> specAndState) {
    List<@Nullable Object> state = specAndState.subList(1, specAndState.size());
    return !ScheduleRecords.isState(state)
        ? Optional.empty()
        : Optional.of(
            new Known(
                new Entry(name, queue, ReplyParser.text(specAndState.get(0))),
                ScheduleRecords.state(state)));
  }

  QueueName queueOf(String name) {
    String queue =
        name.isEmpty()
            ? ""
            : ReplyParser.text(link.callSafe(Command.HGET, RedisKeys.SCHEDULES, name));
    if (queue.isEmpty()) {
      throw new ScheduleNotFoundException(name);
    }
    return QueueName.of(queue);
  }
}
