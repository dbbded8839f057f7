package io.asynq4j.internal.doctor;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.T;
import static io.asynq4j.fixture.BrokerFixture.key;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.simulation.SimulatedGoProcess;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol.Command;

/** A way to corrupt the data in Redis, as a Go process or a defect could. */
@SuppressWarnings("ImmutableEnumChecker") // what inflicts it has no state
enum DataCorruption {
  GHOST_PENDING(
      FindingKind.ID_WITHOUT_RECORD, "x", f -> f.raw(Command.LPUSH, key("pending"), "x"), ""),
  GHOST_ACTIVE(
      FindingKind.ID_WITHOUT_RECORD, "x", f -> f.raw(Command.LPUSH, key("active"), "x"), ""),
  GHOST_LEASE(FindingKind.ID_WITHOUT_RECORD, "x", ghostIn("lease"), ""),
  GHOST_SCHEDULED(FindingKind.ID_WITHOUT_RECORD, "x", ghostIn("scheduled"), ""),
  GHOST_RETRY(FindingKind.ID_WITHOUT_RECORD, "x", ghostIn("retry"), ""),
  GHOST_ARCHIVED(FindingKind.ID_WITHOUT_RECORD, "x", ghostIn("archived"), ""),
  GHOST_COMPLETED(FindingKind.ID_WITHOUT_RECORD, "x", ghostIn("completed"), ""),
  GHOST_GROUPED(
      FindingKind.ID_WITHOUT_RECORD,
      "x",
      f -> {
        ghostIn("g:odd").accept(f);
        f.raw(Command.SADD, key("groups"), "odd");
      },
      ""),
  GHOST_IN_A_SET(
      FindingKind.ID_WITHOUT_RECORD,
      "x",
      f -> {
        ghostIn("g:odd:set").accept(f);
        f.seedRecord(TaskState.AGGREGATING, "y");
        f.raw(Command.HSET, RedisKeys.task(Q, "y"), "group", "odd");
        ghostIn("g:odd:set", "y").accept(f);
        f.raw(Command.ZADD, key("aggregation_sets"), at(100), key("g:odd:set"));
      },
      "g:odd:set: {y="),
  GHOST_DEQUEUED_BY_GO(
      FindingKind.ID_WITHOUT_RECORD,
      "x",
      f -> {
        f.raw(Command.RPUSH, key("pending"), "x");
        go(f).dequeue();
      },
      ""),

  LATE_RESULT_OF_GO(
      FindingKind.RECORD_WITHOUT_MESSAGE, "x", f -> go(f).writeResult("x", "too late"), ""),

  LOST_PENDING(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.PENDING, "x"),
      "pending: [x, "),
  LOST_ACTIVE(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.ACTIVE, "x"),
      "x=" + at(60)),
  DONE_BY_GO_WITHOUT_LEASE(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seed(TaskState.ACTIVE, "x", T + 30);
        f.raw(Command.ZREM, key("lease"), "x");
        go(f).done(message(f, "x"));
      },
      "x=" + at(60)),
  LOST_RETRY(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.RETRY, "x"),
      "x=" + at(60)),
  LOST_COMPLETED(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.COMPLETED, "x"),
      "x=" + at(60)),
  LOST_SCHEDULED(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.SCHEDULED, "x"),
      "quarantine=the doctor found the task in no container, and its due time is no longer known,"
          + " state=archived"),
  LOST_SCHEDULED_WITH_ITS_TIME(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seedRecord(TaskState.SCHEDULED, "x");
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "due_ms", at(5000) + "500");
      },
      "x=" + at(5000)),
  LOST_IN_ITS_GROUP(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seedRecord(TaskState.AGGREGATING, "x");
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "group", "odd");
      },
      "g:odd: {x=" + at(60) + "}\n"),
  LOST_WITH_ITS_GROUP(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> f.seedRecord(TaskState.AGGREGATING, "x"),
      "and its group is no longer known, state=archived"),
  LOST_WITHOUT_A_STATE(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seedRecord(TaskState.PENDING, "x");
        f.raw(Command.HDEL, RedisKeys.task(Q, "x"), "state");
      },
      "and its state is no longer known, state=archived"),
  LOST_IN_A_STATE_NOBODY_KNOWS(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seedRecord(TaskState.PENDING, "x");
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "state", "undead");
      },
      "and its state is no longer known, state=archived"),
  TRIMMED_BY_GO_WITHOUT_ITS_RECORD(
      FindingKind.RECORD_WITHOUT_CONTAINER,
      "x",
      f -> {
        f.seed(TaskState.ARCHIVED, "x", T - 100 * 86_400L);
        f.seed(TaskState.RETRY, "y", T + 1000);
        go(f).archiveWaiting("y");
      },
      "y=" + at(0)),

  LEFT_HALF_WAY_BY_GOS_ARCHIVE(
      FindingKind.WRONG_STATE,
      "x",
      f -> {
        f.seedRecord(TaskState.ACTIVE, "x");
        ghostIn("archived").accept(f);
      },
      "t:x: {msg=t(p) retry 0/25 timeout 1800, state=archived}"),
  IN_A_SET_NOBODY_KNOWS(
      FindingKind.WRONG_STATE,
      "x",
      f -> {
        f.seedRecord(TaskState.AGGREGATING, "x");
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "group", "odd");
        ghostIn("g:odd:set").accept(f);
      },
      "g:odd: {x=" + at(10) + "}\n"),
  PENDING_WITH_ANOTHER_STATE(
      FindingKind.WRONG_STATE,
      "x",
      f -> {
        f.seedRecord(TaskState.RETRY, "x");
        f.raw(Command.LPUSH, key("pending"), "x");
      },
      "pending: [x, "),

  IN_RETRY_TOO(
      FindingKind.IN_SEVERAL_CONTAINERS,
      "x",
      f -> {
        f.seed(TaskState.PENDING, "x", 0);
        ghostIn("retry").accept(f);
      },
      "pending: [x, "),
  IN_PENDING_TOO(
      FindingKind.IN_SEVERAL_CONTAINERS,
      "x",
      f -> {
        f.seed(TaskState.RETRY, "x", T + 100);
        f.raw(Command.LPUSH, key("pending"), "x");
      },
      "x=" + at(100)),
  PENDING_TWICE(
      FindingKind.IN_SEVERAL_CONTAINERS,
      "x",
      f -> {
        f.seed(TaskState.PENDING, "x", 0);
        f.raw(Command.RPUSH, key("pending"), "x");
      },
      "pending: [x, "),
  ACTIVE_AND_PENDING(
      FindingKind.IN_SEVERAL_CONTAINERS,
      "x",
      f -> {
        f.seed(TaskState.ACTIVE, "x", T + 100);
        f.raw(Command.RPUSH, key("pending"), "x");
      },
      "x=" + at(100)),
  WITHOUT_LEASE(
      FindingKind.ACTIVE_WITHOUT_LEASE,
      "x",
      f -> {
        f.seed(TaskState.ACTIVE, "x", T + 100);
        f.raw(Command.ZREM, key("lease"), "x");
      },
      "x=" + at(60)),
  LEASED_AND_NOT_LISTED(
      FindingKind.LEASE_WITHOUT_ACTIVE,
      "x",
      f -> {
        f.seed(TaskState.ACTIVE, "x", T + 100);
        f.raw(Command.LREM, key("active"), "0", "x");
      },
      "active: [x, "),
  LEASED_AND_WAITING(
      FindingKind.LEASE_WITHOUT_ACTIVE,
      "x",
      f -> {
        f.seed(TaskState.RETRY, "x", T + 100);
        ghostIn("lease").accept(f);
      },
      ""),

  UNREADABLE(
      FindingKind.UNREADABLE,
      "x",
      f -> {
        f.seed(TaskState.RETRY, "x", T + 100);
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "msg", "not a message");
      },
      "state=archived"),
  UNREADABLE_AND_WEDGING_GOS_RECOVERER(
      FindingKind.UNREADABLE,
      "x",
      f -> {
        f.seed(TaskState.ACTIVE, "x", T - 100);
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "msg", "not a message");
      },
      "state=archived"),

  LOCK_OF_A_TASK_THAT_IS_GONE(
      FindingKind.STALE_LOCK,
      "t:0",
      f -> f.raw(Command.SET, key("unique:t:0"), "gone", "EX", "900"),
      ""),
  LOCK_LEFT_BY_GO_ON_A_CONFLICT(
      FindingKind.STALE_LOCK,
      "t:0",
      f -> {
        f.seed(TaskState.RETRY, "x", T + 100);
        WireTask equal = message(f, "x").toBuilder().setUniqueKey(key("unique:t:0")).build();
        go(f).enqueue(equal, "", 0, 900);
      },
      ""),

  GROUP_JOINED_BY_GOS_FORWARDER(
      FindingKind.UNLISTED_GROUP,
      "odd",
      f -> {
        f.seed(TaskState.RETRY, "x", T - 1);
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "group", "odd");
        go(f).forward("retry");
      },
      "groups: [busy, odd]"),
  GROUP_WITHOUT_TASKS(
      FindingKind.STALE_GROUP,
      "odd",
      f -> {
        f.raw(Command.DEL, key("scheduled"), key("retry"), RedisKeys.task(Q, "later"));
        f.raw(Command.DEL, RedisKeys.task(Q, "failed"));
        f.raw(Command.SADD, key("groups"), "odd");
      },
      "groups: [busy]"),
  AGGREGATION_THAT_NOBODY_ENDS(
      FindingKind.STALE_AGGREGATION_SET,
      key("g:odd:set"),
      f -> {
        f.seedRecord(TaskState.AGGREGATING, "x");
        f.raw(Command.HSET, RedisKeys.task(Q, "x"), "group", "odd");
        ghostIn("g:odd:set").accept(f);
        f.raw(Command.ZADD, key("aggregation_sets"), at(-10), key("g:odd:set"));
      },
      "g:odd: {x=" + at(10) + "}\n"),
  AGGREGATION_OF_NOTHING(
      FindingKind.STALE_AGGREGATION_SET,
      key("g:odd:set"),
      f -> f.raw(Command.ZADD, key("aggregation_sets"), at(100), key("g:odd:set")),
      ""),
  USED_UP_AND_NEVER_SWEPT(
      FindingKind.UNLISTED_SPENT_SET, "set", ghostIn("spent:set"), "spent: [set]"),

  ARCHIVE_TOO_OLD(
      FindingKind.ARCHIVE_OVERFLOW,
      "q",
      f -> f.seed(TaskState.ARCHIVED, "x", T - 91 * 86_400L),
      ""),

  UNREGISTERED(
      FindingKind.UNREGISTERED_QUEUE,
      "q",
      f -> f.raw(Command.SREM, RedisKeys.QUEUES, "q"),
      "asynq:queues: [q]"),
  REGISTERED_AND_EMPTY(
      FindingKind.EMPTY_QUEUE,
      "old",
      f -> f.raw(Command.SADD, RedisKeys.QUEUES, "old"),
      "asynq:queues: [q]"),
  SERVER_THAT_IS_GONE(
      FindingKind.STALE_PRESENCE,
      RedisKeys.SERVERS,
      f -> f.raw(Command.ZADD, RedisKeys.SERVERS, at(-61), RedisKeys.server("h", 1, "gone")),
      ""),
  SCHEDULER_WITHOUT_AN_END(
      FindingKind.LEAKED_PRESENCE,
      RedisKeys.scheduler("gone"),
      f -> f.raw(Command.RPUSH, RedisKeys.scheduler("gone"), "an entry"),
      ""),
  HISTORY_WITHOUT_AN_END(
      FindingKind.LEAKED_HISTORY,
      "gone",
      f -> f.raw(Command.ZADD, RedisKeys.schedulerHistory("gone"), at(-10), "an event"),
      "scheduler_history:gone: {an event=" + at(-10) + "} for 7776000s");

  /** What a doctor must find, and nothing else. */
  final FindingKind kind;

  /** What it must name. */
  final String name;

  final Consumer<BrokerFixture> inflict;

  /** A part of the world once that has been put right. */
  final String healed;

  DataCorruption(FindingKind kind, String name, Consumer<BrokerFixture> inflict, String healed) {
    this.kind = kind;
    this.name = name;
    this.inflict = inflict;
    this.healed = healed;
  }

  private static String at(long seconds) {
    return Long.toString(BrokerFixture.T + seconds);
  }

  private static Consumer<BrokerFixture> ghostIn(String sortedSet) {
    return ghostIn(sortedSet, "x");
  }

  private static Consumer<BrokerFixture> ghostIn(String sortedSet, String id) {
    return f -> f.raw(Command.ZADD, key(sortedSet), at(10), id);
  }

  private static SimulatedGoProcess go(BrokerFixture f) {
    return new SimulatedGoProcess(f.link, Q, f.clock);
  }

  private static WireTask message(BrokerFixture f, String id) {
    try {
      return WireTask.parseFrom(MessageCodec.encode(f.task(id).message()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}
