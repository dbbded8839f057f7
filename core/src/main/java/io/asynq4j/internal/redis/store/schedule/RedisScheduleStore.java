package io.asynq4j.internal.redis.store.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.QueueRegistry;
import io.asynq4j.internal.redis.store.task.RedisEnqueueOperations;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import io.asynq4j.internal.redis.watch.RedisStoreWatch.Shard;
import io.asynq4j.internal.redis.watch.ShardFanOut;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
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

/**
 * Redis implementation of the schedule store. The state of an entry is in the slot of its queue, so
 * that one atomic step enqueues the task and advances the entry. One global hash maps entries to
 * queues.
 */
public final class RedisScheduleStore implements ScheduleStore {

  private static final long NOT_TO_BE_FIRED = -1;

  /** How long a listing of all entries waits for a server of a cluster. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final QueueRegistry registry;
  private final ScheduleRecords records;
  private final ScheduleEnrollment enrollment;
  private final ShardFanOut fanOut = new ShardFanOut();

  public RedisScheduleStore(
      ScriptRunner scripts, RedisCommandExecutor link, BrokerTime time, QueueRegistry registry) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
    this.registry = registry;
    this.records = new ScheduleRecords(link);
    this.enrollment = new ScheduleEnrollment(scripts, link, records);
  }

  // Not atomic: if the lock expires in between, two leaders are possible, which is harmless.
  @Override
  public boolean lead(String group, String schedulerId, Duration ttl) {
    String key = RedisKeys.schedulerLeader(group);
    long seconds = WholeSeconds.ceil(ttl);
    String leader = ReplyParser.text(link.callSafe(Command.GET, key));
    if (leader.equals(schedulerId)) {
      return ReplyParser.number(link.callSafe(Command.EXPIRE, key, seconds)) == 1;
    }
    return leader.isEmpty()
        && link.callSafe(Command.SET, key, schedulerId, "NX", "EX", seconds) != null;
  }

  @Override
  public void resign(String group, String schedulerId) {
    String key = RedisKeys.schedulerLeader(group);
    if (ReplyParser.text(link.callSafe(Command.GET, key)).equals(schedulerId)) {
      link.callSafe(Command.DEL, key);
    }
  }

  @Override
  public Map<String, State> enroll(Collection<Entry> entries) {
    return enrollment.enroll(entries);
  }

  @Override
  public Map<String, State> look(Collection<Entry> entries) {
    return enrollment.look(entries);
  }

  @Override
  public long revision() {
    return (long) ReplyParser.decimal(listed(ScheduleRecords.REVISION), 0);
  }

  private void changed() {
    try {
      link.callSafe(Command.HINCRBY, RedisKeys.SCHEDULES, ScheduleRecords.REVISION, 1);
    } catch (BrokerRefusedException e) {
      // Not a number: any change of the value makes schedulers reload.
      long now = time.clock().instant().toEpochMilli();
      link.callSafe(Command.HSET, RedisKeys.SCHEDULES, ScheduleRecords.REVISION, now);
    }
  }

  @Override
  public List<@Nullable EnqueueReply> fire(QueueName queue, List<Firing> firings) {
    requireBetween(0, MOST_FIRINGS, firings.size(), "the number of tasks that one call fires");
    registry.register(queue);
    CommandArgs args = new CommandArgs(firings.size() * Script.FIRE.items().size());
    for (Firing firing : firings) {
      Instant decided = firing.decided();
      args.add(firing.entry())
          .add(decided == null ? "" : Long.toString(decided.toEpochMilli()))
          .add(firing.instant().toEpochMilli());
      RedisEnqueueOperations.add(args, firing.task());
    }
    List<@Nullable EnqueueReply> answers = new ArrayList<>(firings.size());
    for (Object reply : scripts.runList(Script.FIRE, queue, args)) {
      answers.add(
          reply instanceof Long code && code == NOT_TO_BE_FIRED
              ? null
              : RedisEnqueueOperations.answer(reply));
    }
    return answers;
  }

  @Override
  public void forget(String name) {
    String queue = listed(name);
    if (!queue.isEmpty()) {
      ScheduleRecords.queue(queue).ifPresent(valid -> records.delete(valid, name));
      link.callSafe(Command.HDEL, RedisKeys.SCHEDULES, name);
      changed();
    }
  }

  @Override
  public List<Known> known(Consumer<Unreadable> broken) {
    Map<String, String> queues =
        new TreeMap<>(ReplyParser.map(link.callSafe(Command.HGETALL, RedisKeys.SCHEDULES)));
    queues.remove(ScheduleRecords.REVISION);
    List<Known> all = new ArrayList<>();
    Map<QueueName, List<String>> byQueue = new LinkedHashMap<>();
    queues.forEach(
        (name, queue) -> {
          try {
            byQueue.computeIfAbsent(QueueName.of(queue), any -> new ArrayList<>()).add(name);
          } catch (IllegalArgumentException e) {
            broken.accept(unreadable(name, queue, e));
          }
        });
    Map<QueueName, List<String>> unanswered = new LinkedHashMap<>(byQueue);
    readAll(byQueue)
        .forEach(
            (shard, found) -> {
              shard.queues().forEach(unanswered::remove);
              all.addAll(found.known());
              found.unreadable().forEach(broken);
            });
    unanswered.forEach(
        (queue, names) -> {
          String reason = "the Redis server of queue " + queue.value() + " does not respond";
          names.forEach(name -> broken.accept(new Unreadable(name, queue.value(), reason)));
        });
    all.sort(Comparator.comparing(one -> one.entry().name()));
    return all;
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
  private Map<Shard, Found> readAll(Map<QueueName, List<String>> byQueue) {
    Collection<Shard> shards = RedisStoreWatch.shards(link, byQueue.keySet());
    return link.isKnownAsSharded()
        ? fanOut.askAll(shards, shard -> readShard(shard, byQueue), PATIENCE)
        : shards.stream()
            .collect(Collectors.toMap(shard -> shard, shard -> readShard(shard, byQueue)));
  }

  /** Reads the entries of all queues of one server, many per round trip. */
  private Found readShard(Shard shard, Map<QueueName, List<String>> byQueue) {
    List<Listed> entries = new ArrayList<>();
    for (QueueName queue : shard.queues()) {
      byQueue.getOrDefault(queue, List.of()).forEach(name -> entries.add(new Listed(name, queue)));
    }
    Found found = new Found();
    for (List<Listed> batch : BatchSplitter.of(entries)) {
      List<@Nullable Object> answers =
          link.callAll(shard.slot(), batch.stream().map(Listed::read).toList());
      for (int i = 0; i < batch.size(); i++) {
        addEntry(batch.get(i), answers.get(i), found);
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
  private void addEntry(Listed entry, @Nullable Object answer, Found found) {
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
    records.unreadables.warn("schedule entry " + name, e, "it is shown as broken");
    String reason = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    return new Unreadable(name, queue, reason);
  }

  @Override
  public boolean isListed(String name) {
    return !name.isEmpty() && link.callSafe(Command.HGET, RedisKeys.SCHEDULES, name) != null;
  }

  @Override
  public boolean pause(String name) {
    Object added = mark(ScheduleRecords.key(queueOf(name)), "paused", name);
    changed();
    return ReplyParser.number(added) == 1;
  }

  @Override
  public boolean resume(String name) {
    String key = ScheduleRecords.key(queueOf(name));
    if (link.callSafe(Command.HGET, key, ScheduleRecords.field("paused", name)) == null) {
      return false;
    }
    mark(key, "from", name);
    link.callSafe(Command.HDEL, key, ScheduleRecords.field("paused", name));
    changed();
    return true;
  }

  @Override
  public void requestRun(String name) {
    mark(ScheduleRecords.key(queueOf(name)), "run", name);
    changed();
  }

  private QueueName queueOf(String name) {
    String queue = name.isEmpty() ? "" : listed(name);
    if (queue.isEmpty()) {
      throw new ScheduleNotFoundException(name);
    }
    return QueueName.of(queue);
  }

  /** Returns a value of the list of entries; empty if there is none. */
  private String listed(String name) {
    return ReplyParser.text(link.callSafe(Command.HGET, RedisKeys.SCHEDULES, name));
  }

  /** Sets a field of an entry to the current time. */
  private @Nullable Object mark(String key, String word, String name) {
    long now = time.clock().instant().toEpochMilli();
    return link.callSafe(Command.HSET, key, ScheduleRecords.field(word, name), now);
  }
}
