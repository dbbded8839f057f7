package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.broker.inspect.QueueInspection;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.codec.UnreadableDataLog;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisInfo;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol.Command;

/** Reads the names, counters, groups and servers of queues. Thread-safe. */
public final class QueueReader implements QueueInspection {

  private static final Logger log = LoggerFactory.getLogger(QueueReader.class);

  private static final int TASK_SAMPLE = 20;
  private static final int GROUP_SAMPLE = 5;

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final AtomicBoolean warnedOfMemory = new AtomicBoolean();
  private final UnreadableDataLog unreadables = new UnreadableDataLog();

  public QueueReader(ScriptRunner scripts, RedisCommandExecutor link, BrokerTime time) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
  }

  @Override
  public Set<String> names() {
    return new TreeSet<>(ReplyParser.texts(link.callSafe(Command.SMEMBERS, RedisKeys.QUEUES)));
  }

  @Override
  public void requireQueue(QueueName queue) {
    if (ReplyParser.number(link.callSafe(Command.SISMEMBER, RedisKeys.QUEUES, queue.value()))
        == 0) {
      throw new QueueNotFoundException(queue);
    }
  }

  @Override
  public QueueSnapshot snapshot(QueueName queue) {
    requireQueue(queue);
    return listedSnapshot(queue);
  }

  @Override
  public QueueSnapshot listedSnapshot(QueueName queue) {
    List<@Nullable Object> reply = scripts.runList(Script.QUEUE_STATS, queue, new CommandArgs());
    Map<TaskState, Long> sizes = new EnumMap<>(TaskState.class);
    // The script returns the sizes in the order of the states.
    for (TaskState state : TaskState.values()) {
      sizes.put(state, ReplyParser.number(reply.get(1 + sizes.size())));
    }
    Instant at = TaskRow.time(reply.get(0));
    return QueueSnapshot.builder(queue.value(), at)
        .sizes(sizes)
        .groups(ReplyParser.number(reply.get(8)))
        .processedToday(counter(RedisKeys.prefix(queue) + "processed of today", reply.get(9)))
        .failedToday(counter(RedisKeys.prefix(queue) + "failed of today", reply.get(10)))
        .processed(counter(RedisKeys.of(queue, "processed"), reply.get(11)))
        .failed(counter(RedisKeys.of(queue, "failed"), reply.get(12)))
        .pausedSince(ReplyParser.number(reply.get(13)) == 1 ? pausedSince(queue).orElse(at) : null)
        .oldestPendingSince(TaskRow.ofNanos(ReplyParser.text(reply.get(14))))
        .build();
  }

  @Override
  public Optional<Instant> pausedSince(QueueName queue) {
    // The value does not matter: the key's existence pauses the queue.
    return Optional.ofNullable(link.callSafe(Command.GET, RedisKeys.of(queue, "paused")))
        .map(since -> ReplyParser.second(ReplyParser.text(since)));
  }

  @Override
  public OptionalLong memoryUsage(QueueName queue) {
    requireQueue(queue);
    try {
      CommandArgs args = new CommandArgs(2).add(TASK_SAMPLE).add(GROUP_SAMPLE);
      return OptionalLong.of(ReplyParser.number(scripts.run(Script.MEMORY, queue, args)));
    } catch (BrokerRefusedException e) {
      if (warnedOfMemory.compareAndSet(false, true)) {
        log.warn(
            "memory usage of queues is not shown: this Redis denies MEMORY USAGE ({})",
            e.getMessage());
      }
      return OptionalLong.empty();
    }
  }

  @Override
  public List<DailyStats> history(QueueName queue, int days) {
    requireQueue(queue);
    LocalDate today = LocalDate.ofInstant(time.clock().instant(), ZoneOffset.UTC);
    CommandArgs args = new CommandArgs(days * 2);
    for (int i = 0; i < days; i++) {
      LocalDate date = today.minusDays(i);
      args.add(RedisKeys.processedOn(queue, date)).add(RedisKeys.failedOn(queue, date));
    }
    List<@Nullable Object> counters =
        ReplyParser.list(link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.MGET, args));
    List<DailyStats> history = new ArrayList<>(days);
    for (int i = 0; i < days; i++) {
      LocalDate date = today.minusDays(i);
      history.add(
          new DailyStats(
              date,
              counter(RedisKeys.processedOn(queue, date), counters.get(2 * i)),
              counter(RedisKeys.failedOn(queue, date), counters.get(2 * i + 1))));
    }
    return history;
  }

  /** A counter that is not a number must not hide the queue or its other days. */
  private long counter(String key, @Nullable Object reply) {
    try {
      return ReplyParser.number(reply);
    } catch (NumberFormatException e) {
      unreadables.warn("the counter " + key, e, "it is shown as 0");
      return 0;
    }
  }

  @Override
  public Map<String, Long> groupSizes(QueueName queue) {
    List<@Nullable Object> reply = scripts.runList(Script.GROUP_STATS, queue, new CommandArgs());
    Map<String, Long> sizes = new TreeMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      sizes.put(ReplyParser.text(reply.get(i)), ReplyParser.number(reply.get(i + 1)));
    }
    return sizes;
  }

  @Override
  public int slot(QueueName queue) {
    return RedisKeys.slot(RedisKeys.prefix(queue));
  }

  @Override
  public List<String> nodes(QueueName queue) {
    int slot = slot(queue);
    List<@Nullable Object> ranges;
    try {
      ranges =
          ReplyParser.list(
              link.call(slot, ResendPolicy.SAFE, Command.CLUSTER, new CommandArgs().add("SLOTS")));
    } catch (BrokerRefusedException e) {
      return List.of();
    }
    for (Object each : ranges) {
      List<@Nullable Object> range = ReplyParser.list(each);
      if (ReplyParser.number(range.get(0)) <= slot && slot <= ReplyParser.number(range.get(1))) {
        return range.subList(2, range.size()).stream().map(QueueReader::address).toList();
      }
    }
    return List.of();
  }

  private static String address(@Nullable Object node) {
    List<@Nullable Object> parts = ReplyParser.list(node);
    return ReplyParser.text(parts.get(0)) + ":" + ReplyParser.number(parts.get(1));
  }

  @Override
  public Map<String, String> redisInfo() {
    return RedisInfo.askWithCluster(link);
  }
}
