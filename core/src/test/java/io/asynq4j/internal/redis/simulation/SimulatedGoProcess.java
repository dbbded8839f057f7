package io.asynq4j.internal.redis.simulation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.QueueName;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Simulates a Go process on one queue with plain commands: the effects of its scripts, in their
 * order, with the defects Q01 to Q37 of docs/reference/requirements.md.
 */
public final class SimulatedGoProcess {

  private static final long ARCHIVE_AGE = 90 * 86_400L;

  private final RedisCommandExecutor link;
  private final QueueName queue;
  private final SettableClock clock;

  public SimulatedGoProcess(RedisCommandExecutor link, QueueName queue, SettableClock clock) {
    this.link = link;
    this.queue = queue;
    this.clock = clock;
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }

  private String nanos() {
    Instant now = clock.instant();
    return Long.toString(now.getEpochSecond() * 1_000_000_000 + now.getNano());
  }

  private String key(String word) {
    return RedisKeys.of(queue, word);
  }

  private @Nullable Object raw(Command command, String key, Object... rest) {
    CommandArgs args = new CommandArgs().add(key);
    for (Object each : rest) {
      if (each instanceof byte[] bytes) {
        args.add(bytes);
      } else {
        args.add(each.toString());
      }
    }
    return link.call(key, ResendPolicy.NEVER, command, args);
  }

  private long number(Command command, String key, Object... rest) {
    return ReplyParser.number(raw(command, key, rest));
  }

  private String text(Command command, String key, Object... rest) {
    return ReplyParser.text(raw(command, key, rest));
  }

  private void count(boolean failed) {
    LocalDate day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    incrementDay(RedisKeys.processedOn(queue, day));
    if (failed) {
      incrementDay(RedisKeys.failedOn(queue, day));
      raw(Command.INCR, key("failed"));
    }
    raw(Command.INCR, key("processed"));
  }

  private void incrementDay(String key) {
    if (number(Command.INCR, key) == 1) {
      raw(Command.EXPIREAT, key, now() + ModelQueue.DAY_COUNTER_TTL);
    }
  }

  public int enqueue(WireTask message, String group, long at, long ttl) {
    String id = message.getId();
    String task = RedisKeys.task(queue, id);
    raw(Command.SADD, RedisKeys.QUEUES, queue.value());
    if (ttl > 0 && raw(Command.SET, message.getUniqueKey(), id, "NX", "EX", ttl) == null) {
      return -1;
    }
    if (number(Command.EXISTS, task) == 1) {
      return 0;
    }
    byte[] msg = message.toByteArray();
    if (at > 0) {
      raw(Command.HSET, task, "msg", msg, "state", "scheduled");
      raw(Command.ZADD, key("scheduled"), at, id);
    } else if (!group.isEmpty()) {
      raw(Command.HSET, task, "msg", msg, "state", "aggregating", "group", group);
      raw(Command.ZADD, RedisKeys.group(queue, group), now(), id);
      raw(Command.SADD, key("groups"), group);
    } else {
      raw(Command.HSET, task, "msg", msg, "state", "pending", "pending_since", nanos());
      raw(Command.LPUSH, key("pending"), id);
    }
    if (ttl > 0 && group.isEmpty()) {
      raw(Command.HSET, task, "unique_key", message.getUniqueKey());
    }
    return 1;
  }

  public @Nullable WireTask dequeue() {
    if (number(Command.EXISTS, key("paused")) == 1) {
      return null;
    }
    Object popped = raw(Command.RPOPLPUSH, key("pending"), key("active"));
    if (popped == null) {
      return null;
    }
    String id = ReplyParser.text(popped);
    String task = RedisKeys.task(queue, id);
    raw(Command.HSET, task, "state", "active");
    raw(Command.HDEL, task, "pending_since");
    raw(Command.ZADD, key("lease"), now() + 30, id);
    return message(id);
  }

  private @Nullable WireTask message(String id) {
    Object msg = raw(Command.HGET, RedisKeys.task(queue, id), "msg");
    try {
      return msg == null ? null : WireTask.parseFrom(ReplyParser.bytes(msg));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean endLease(String id) {
    return number(Command.LREM, key("active"), 0, id) > 0
        && number(Command.ZREM, key("lease"), id) > 0;
  }

  private void release(String lock, String id) {
    if (!lock.isEmpty() && text(Command.GET, lock).equals(id)) {
      raw(Command.DEL, lock);
    }
  }

  public boolean done(WireTask message) {
    if (!endLease(message.getId())
        || number(Command.DEL, RedisKeys.task(queue, message.getId())) == 0) {
      return false;
    }
    count(false);
    release(message.getUniqueKey(), message.getId());
    return true;
  }

  boolean complete(WireTask message) {
    String id = message.getId();
    if (!endLease(id)) {
      return false;
    }
    raw(Command.ZADD, key("completed"), now() + message.getRetention(), id);
    byte[] msg = message.toBuilder().setCompletedAt(now()).build().toByteArray();
    raw(Command.HSET, RedisKeys.task(queue, id), "msg", msg, "state", "completed");
    count(false);
    release(message.getUniqueKey(), id);
    return true;
  }

  boolean requeue(String id) {
    if (!endLease(id)) {
      return false;
    }
    raw(Command.RPUSH, key("pending"), id);
    raw(Command.HSET, RedisKeys.task(queue, id), "state", "pending");
    return true;
  }

  boolean retry(WireTask message, long at, String error, boolean failure) {
    String id = message.getId();
    if (!endLease(id)) {
      return false;
    }
    raw(Command.ZADD, key("retry"), at, id);
    byte[] msg = failed(message, error, failure);
    raw(Command.HSET, RedisKeys.task(queue, id), "msg", msg, "state", "retry");
    if (failure) {
      count(true);
    }
    return true;
  }

  private byte[] failed(WireTask message, String error, boolean failure) {
    WireTask.Builder copy = message.toBuilder().setErrorMsg(error).setLastFailedAt(now());
    if (failure) {
      copy.setRetried(message.getRetried() + 1);
    }
    return copy.build().toByteArray();
  }

  boolean archive(WireTask message, String error) {
    String id = message.getId();
    if (!endLease(id)) {
      return false;
    }
    raw(Command.ZADD, key("archived"), now(), id);
    for (String old : until("archived", now() - ARCHIVE_AGE)) {
      raw(Command.DEL, RedisKeys.task(queue, old));
      raw(Command.ZREM, key("archived"), old);
    }
    byte[] msg = failed(message, error, /* failure= */ false);
    raw(Command.HSET, RedisKeys.task(queue, id), "msg", msg, "state", "archived");
    count(true);
    return true;
  }

  private List<String> until(String zset, long score) {
    List<String> ids = new ArrayList<>();
    ReplyParser.list(raw(Command.ZRANGEBYSCORE, key(zset), "-inf", score))
        .forEach(id -> ids.add(ReplyParser.text(id)));
    return ids;
  }

  public int forward(String state) {
    List<String> due = until(state, now());
    for (String id : due) {
      String task = RedisKeys.task(queue, id);
      String group = text(Command.HGET, task, "group");
      if (group.isEmpty()) {
        raw(Command.LPUSH, key("pending"), id);
        raw(Command.ZREM, key(state), id);
        raw(Command.HSET, task, "state", "pending", "pending_since", nanos());
      } else {
        raw(Command.ZADD, RedisKeys.group(queue, group), now(), id);
        raw(Command.ZREM, key(state), id);
        raw(Command.HSET, task, "state", "aggregating");
      }
    }
    return due.size();
  }

  /** Messages of tasks whose lease ended half a minute ago or earlier. */
  List<WireTask> expired() {
    List<WireTask> messages = new ArrayList<>();
    for (String id : until("lease", now() - 30)) {
      WireTask message = message(id);
      if (message != null) {
        messages.add(message);
      }
    }
    return messages;
  }

  void reclaim() {
    for (String setKey : until("aggregation_sets", now())) {
      String groupKey = setKey.substring(0, setKey.lastIndexOf(':'));
      List<@Nullable Object> members =
          ReplyParser.list(raw(Command.ZRANGE, setKey, 0, -1, "WITHSCORES"));
      for (int i = 0; i < members.size(); i += 2) {
        raw(
            Command.ZADD,
            groupKey,
            ReplyParser.text(members.get(i + 1)),
            ReplyParser.text(members.get(i)));
      }
      raw(Command.DEL, setKey);
    }
    raw(Command.ZREMRANGEBYSCORE, key("aggregation_sets"), "-inf", now());
  }

  void expire() {
    for (String id : until("completed", now())) {
      raw(Command.DEL, RedisKeys.task(queue, id));
      raw(Command.ZREM, key("completed"), id);
    }
  }

  void extend(String id) {
    raw(Command.ZADD, key("lease"), "XX", now() + 30, id);
  }

  public void writeResult(String id, String result) {
    raw(Command.HSET, RedisKeys.task(queue, id), "result", result);
  }

  private boolean takeOut(String id, List<String> states) {
    String task = RedisKeys.task(queue, id);
    String state = text(Command.HGET, task, "state");
    if (!states.contains(state)) {
      return false;
    }
    if (state.equals("pending")) {
      return number(Command.LREM, key("pending"), 1, id) > 0;
    }
    if (!state.equals("aggregating")) {
      return number(Command.ZREM, key(state), id) > 0;
    }
    String group = text(Command.HGET, task, "group");
    if (number(Command.ZREM, RedisKeys.group(queue, group), id) == 0) {
      return false;
    }
    if (number(Command.ZCARD, RedisKeys.group(queue, group)) == 0) {
      raw(Command.SREM, key("groups"), group);
    }
    return true;
  }

  boolean run(String id) {
    if (!takeOut(id, List.of("scheduled", "retry", "archived", "completed", "aggregating"))) {
      return false;
    }
    raw(Command.LPUSH, key("pending"), id);
    raw(Command.HSET, RedisKeys.task(queue, id), "state", "pending");
    return true;
  }

  public boolean archiveWaiting(String id) {
    if (!takeOut(id, List.of("pending", "scheduled", "retry", "completed", "aggregating"))) {
      return false;
    }
    raw(Command.ZADD, key("archived"), now(), id);
    raw(Command.HSET, RedisKeys.task(queue, id), "state", "archived");
    raw(Command.ZREMRANGEBYSCORE, key("archived"), "-inf", now() - ARCHIVE_AGE);
    return true;
  }

  boolean delete(String id) {
    List<String> states =
        List.of("pending", "scheduled", "retry", "archived", "completed", "aggregating");
    if (!takeOut(id, states)) {
      return false;
    }
    release(text(Command.HGET, RedisKeys.task(queue, id), "unique_key"), id);
    raw(Command.DEL, RedisKeys.task(queue, id));
    return true;
  }
}
