package io.asynq4j.redis;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.broker.Aggregation;
import io.asynq4j.broker.ArchiveRules;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.ClaimBatch;
import io.asynq4j.broker.CrashRules;
import io.asynq4j.broker.EnqueueReply;
import io.asynq4j.broker.Inspection;
import io.asynq4j.broker.LeaseOperations;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.QueueRules;
import io.asynq4j.broker.SettleResult;
import io.asynq4j.broker.Settlement;
import io.asynq4j.broker.Upkeep;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * A broker on a real, empty Redis, with a clock that a test sets, and words for what tests do with
 * it.
 */
final class BrokerFixture implements AutoCloseable {

  /** In the future, since Redis drops at once what has expired by its own clock. */
  static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");

  static final long T = NOON.getEpochSecond();
  static final QueueName Q = QueueName.of("q");
  static final Duration LEASE = Duration.ofSeconds(15);

  final TestRedis server;
  final SettableClock clock = new SettableClock(NOON);
  final RedisCommandExecutor link;
  final RedisBroker broker;

  BrokerFixture(TestRedis server) {
    this.server = server;
    server.flush();
    this.link = link(server.config());
    this.broker = new RedisBroker(link, BrokerTime.of(clock));
  }

  static RedisCommandExecutor link(RedisConfig config) {
    return new RedisCommandExecutor(RedisNodes.of(config), config.retryFor(), "the test's Redis");
  }

  /** Scripts see the time of this clock, and the library a later one. */
  static BrokerTime apart(Clock clock, Duration ahead) {
    BrokerTime scripts = BrokerTime.of(clock);
    return new BrokerTime() {
      @Override
      public Clock clock() {
        return Clock.offset(clock, ahead);
      }

      @Override
      public String forScripts() {
        return scripts.forScripts();
      }
    };
  }

  /** Everything in Redis. */
  String world() {
    return RedisTextDump.of(server);
  }

  LeaseOperations source() {
    return broker.leases();
  }

  Upkeep upkeep() {
    return broker.upkeep();
  }

  Aggregation aggregation() {
    return broker.aggregation();
  }

  Presence presence() {
    return broker.presence();
  }

  Inspection inspection() {
    return broker.inspection();
  }

  /** A task of type {@code t} with payload {@code p} for queue {@code q}, with options. */
  NewTask task(String id, UnaryOperator<TaskOptions.Builder> options) {
    TaskOptions all = TaskOptions.of(o -> options.apply(o.id(id).queue("q")));
    return NewTask.of(Task.of("t", Payload.ofUtf8("p")), all, clock.instant());
  }

  NewTask task(String id) {
    return task(id, options -> options);
  }

  List<EnqueueReply> enqueue(NewTask... tasks) {
    return broker.enqueueing().enqueue(List.of(tasks));
  }

  void enqueue(String... ids) {
    broker.enqueueing().enqueue(Arrays.stream(ids).map(this::task).toList());
  }

  /** Tasks t0000, t0001 and so on, in few calls. */
  void enqueueMany(int count, UnaryOperator<TaskOptions.Builder> options) {
    broker
        .enqueueing()
        .enqueue(
            IntStream.range(0, count)
                .mapToObj(i -> task(String.format("t%04d", i), options))
                .toList());
  }

  ClaimBatch claimBatch(int max, QueueRules rules) {
    return source().claim(Q, max, LEASE, rules);
  }

  List<Claim> claim(int max) {
    return claimBatch(max, QueueRules.NONE).claims();
  }

  Claim claimOne() {
    return claim(1).get(0);
  }

  SettleResult settle(Settlement settlement) {
    return settle(settlement, QueueRules.NONE);
  }

  SettleResult settle(Settlement settlement, QueueRules rules) {
    return source().settle(Q, List.of(settlement), rules, ArchiveRules.DEFAULT).get(0);
  }

  List<Upkeep.Recovered> recover() {
    return upkeep().recover(Q, 200, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT);
  }

  /** What a Go worker's dequeue leaves for one task: a whole number as its lease, and no claim. */
  void claimAsGo(String id, long leaseUntil) {
    raw(Command.LREM, key("pending"), "0", id);
    raw(Command.LPUSH, key("active"), id);
    raw(Command.HSET, RedisKeys.task(Q, id), "state", "active");
    raw(Command.HDEL, RedisKeys.task(Q, id), "pending_since");
    raw(Command.ZADD, key("lease"), Long.toString(leaseUntil), id);
  }

  /**
   * Puts a task where tasks of its state are, as a Go process would have it. The score is its lease
   * when it is active; those of a group are in {@code g}.
   */
  void seed(TaskState state, String id, long score) {
    raw(Command.SADD, RedisKeys.QUEUES, "q");
    seedRecord(state, id);
    String at = Long.toString(score);
    switch (state) {
      case PENDING -> raw(Command.LPUSH, key("pending"), id);
      case ACTIVE -> {
        raw(Command.LPUSH, key("active"), id);
        raw(Command.ZADD, key("lease"), at, id);
      }
      case AGGREGATING -> {
        raw(Command.HSET, RedisKeys.task(Q, id), "group", "g");
        raw(Command.ZADD, key("g:g"), at, id);
        raw(Command.SADD, key("groups"), "g");
      }
      default -> raw(Command.ZADD, key(state.word()), at, id);
    }
  }

  /** Only the record of a task, in no container. */
  void seedRecord(TaskState state, String id) {
    String record = RedisKeys.task(Q, id);
    CommandArgs args =
        new CommandArgs().add(record).add("msg").add(MessageCodec.encode(task(id).message()));
    link.call(record, ResendPolicy.NEVER, Command.HSET, args.add("state").add(state.word()));
  }

  /** The full name of a key of queue {@code q}. */
  static String key(String word) {
    return RedisKeys.of(Q, word);
  }

  /** A plain command on a key, given as its first argument. */
  @Nullable Object raw(Command command, String... args) {
    CommandArgs all = new CommandArgs();
    for (String arg : args) {
      all.add(arg);
    }
    return link.call(args[0], ResendPolicy.NEVER, command, all);
  }

  String rawText(Command command, String... args) {
    return ReplyParser.text(raw(command, args));
  }

  @Override
  public void close() {
    link.close();
  }
}
