package io.asynq4j.faults;

import static io.asynq4j.fixture.BrokerFixture.LEASE;
import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.faults.FaultProxy.Fault;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.RedisClock;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.store.RedisBroker;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Calls whose connection or Redis fails. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class RedisFaultsIT {

  private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);
  private static final Duration RETRY_FOR = Duration.ofMillis(600);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final GroupRules AT_ONCE =
      new GroupRules(1, Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(1));

  // The common pool has one thread on a machine of two cores.
  private ExecutorService threads;
  private TestRedis server;
  private EmbeddedRedis redis;
  private FaultProxy proxy;
  private BrokerFixture direct;
  private RedisCommandExecutor link;
  private RedisBroker broker;

  TestRedis start() {
    return TestRedis.standalone();
  }

  @BeforeAll
  void startServer() {
    threads = Executors.newCachedThreadPool();
    server = start();
    redis = server.primaries().get(0);
  }

  @AfterAll
  void stopServer() {
    threads.shutdown();
    server.close();
  }

  @BeforeEach
  void connect() {
    proxy = new FaultProxy(redis.port());
    direct = new BrokerFixture(server);
    loadScripts();
    // A connection that stays, whatever happens to new ones.
    direct.link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
    link = BrokerFixture.link(config().build());
    broker = RedisBroker.on(link, new TestTime(direct.clock), /* numberedEnqueue= */ true);
  }

  private RedisConfig.Builder config() {
    return RedisConfig.builder()
        .standalone("127.0.0.1", proxy.port())
        .commandTimeout(COMMAND_TIMEOUT)
        .retryFor(RETRY_FOR);
  }

  @AfterEach
  void disconnect() {
    link.close();
    proxy.close();
    direct.close();
  }

  /** So that the first call of a script is not one that asks for its text. */
  private void loadScripts() {
    try (Connection connection = TestRedis.connect(redis)) {
      for (Script script : Script.values()) {
        send(
            connection,
            Command.SCRIPT,
            "LOAD",
            new String(script.source(), StandardCharsets.UTF_8));
      }
    }
  }

  /** A command past the proxy and past the library. */
  private Object link(Command command, String... args) {
    try (Connection connection = TestRedis.connect(redis)) {
      return send(connection, command, args);
    }
  }

  private static Object send(Connection connection, Command command, String... args) {
    CommandArguments arguments = new CommandArguments(command);
    for (String arg : args) {
      arguments.add(arg);
    }
    return connection.executeCommand(arguments);
  }

  private EnqueueReply enqueue(NewTask task) {
    return broker.enqueueing().enqueue(List.of(task)).get(0);
  }

  private EnqueueReply enqueue(String id) {
    return enqueue(direct.task(id));
  }

  private List<Claim> claim(int max) {
    return broker.leases().claim(Q, max, LEASE, QueueRules.NONE).claims();
  }

  private SettleResult settle(Settlement settlement) {
    return broker
        .leases()
        .settle(Q, List.of(settlement), QueueRules.NONE, ArchiveRules.DEFAULT)
        .get(0);
  }

  private static BrokerUnavailableException unavailable(ThrowingCallable call) {
    return catchThrowableOfType(BrokerUnavailableException.class, call);
  }

  private static BrokerRefusedException refused(ThrowingCallable call) {
    return catchThrowableOfType(BrokerRefusedException.class, call);
  }

  /** Random values are omitted. */
  private static String steady(Object text) {
    return text.toString()
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID")
        .replaceAll("\\d{6}-[0-9a-z]+", "TOKEN")
        // A repeated reply to a claim no longer has the time since which its tasks were pending.
        .replaceAll("pendingSince=[^],]*", "pendingSince=…")
        .replaceAll("(=\\d{10})\\.\\d+", "$1.TOKEN");
  }

  private String world() {
    return steady(direct.world());
  }

  /** All numbered calls: their preparation and the call. */
  private enum Numbered {
    ENQUEUE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        return () -> it.enqueue("a");
      }
    },
    ENQUEUE_UNIQUE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        return () -> it.enqueue(it.direct.task("a", o -> o.uniqueFor(Duration.ofHours(1))));
      }
    },
    SCHEDULE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        return () -> it.enqueue(it.direct.task("a", o -> o.processIn(Duration.ofHours(1))));
      }
    },
    GROUP {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        return () -> it.enqueue(it.direct.task("a", o -> o.group("g")));
      }
    },
    CLAIM {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        it.direct.enqueue("a", "b", "c");
        return () -> it.claim(2);
      }
    },
    COMPLETE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () -> it.settle(new Settlement.Complete(claim, Payload.absent()));
      }
    },
    DROP {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () -> it.settle(new Settlement.Drop(claim));
      }
    },
    RETRY {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () ->
            it.settle(
                new Settlement.Retry(
                    claim, Duration.ofMinutes(1), "no", /* failure= */ true, false));
      }
    },
    ARCHIVE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () -> it.settle(new Settlement.Archive(claim, "no"));
      }
    },
    RESCHEDULE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () -> it.settle(new Settlement.Reschedule(claim, Duration.ofMinutes(1), false));
      }
    },
    REQUEUE {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        Claim claim = it.claimed();
        return () -> it.settle(new Settlement.Requeue(claim));
      }
    },
    FINISH_SET {
      @Override
      Supplier<Object> on(RedisFaultsIT it) {
        it.direct.enqueue(it.direct.task("a", o -> o.group("g")));
        AggregationSet set = it.direct.aggregation().aggregate(Q, "g", AT_ONCE).orElseThrow();
        return () -> it.broker.aggregation().finish(set, it.direct.task("all"));
      }
    };

    abstract Supplier<Object> on(RedisFaultsIT it);
  }

  /** But for the name of the queue, which brokers do not put there again so soon. */
  private void empty() {
    server.flush();
    link(Command.SADD, RedisKeys.QUEUES, Q.value());
  }

  private Claim claimed() {
    direct.enqueue("a", "b");
    return direct.claimOne();
  }

  private void happensOnceThough(Numbered operation, Fault fault) {
    empty();
    Object answer = operation.on(this).get();
    String once = world();
    empty();

    Supplier<Object> again = operation.on(this);
    proxy.next("EVALSHA", fault);

    assertThat(steady(again.get())).isEqualTo(steady(answer));
    assertThat(proxy.isSprung()).isTrue();
    assertThat(world()).isEqualTo(once);
  }

  @ParameterizedTest
  @EnumSource
  void aLostAnswerIsAskedForAgainAndTheThingHappensOnce(Numbered operation) {
    happensOnceThough(operation, Fault.CUT_AFTER);
  }

  @ParameterizedTest
  @EnumSource
  void aCommandThatNeverArrivedIsSentAgain(Numbered operation) {
    happensOnceThough(operation, Fault.CUT_BEFORE);
  }

  /** Operator actions, which are never sent twice. */
  private enum Never {
    RUN("EVALSHA") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.actions().run(Q, List.of("a"));
      }
    },
    ARCHIVE_WAITING("EVALSHA") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.actions().archive(Q, List.of("a"), ArchiveRules.DEFAULT, WhenFull.DROP_OLDEST);
      }
    },
    RESCHEDULE_WAITING("EVALSHA") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.actions().reschedule(Q, List.of("a"), NOON.plusSeconds(60));
      }
    },
    DELETE("EVALSHA") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.actions().delete(Q, List.of("a"));
      }
    },
    PAUSE("SET") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.queueControl().pause(Q);
      }
    },
    RESUME("DEL") {
      @Override
      void act(RedisFaultsIT it) {
        it.broker.queueControl().resume(Q);
      }
    };

    private final String command;

    Never(String command) {
      this.command = command;
    }

    abstract void act(RedisFaultsIT it);
  }

  private long calls(String command) {
    String stats = new String((byte[]) link(Command.INFO, "commandstats"), StandardCharsets.UTF_8);
    String name = "cmdstat_" + command.toLowerCase(Locale.ROOT) + ":calls=";
    int at = stats.indexOf(name);
    return at < 0 ? 0 : Long.parseLong(stats.substring(at + name.length(), stats.indexOf(',', at)));
  }

  private void prepareFor(Never operation) {
    empty();
    direct.enqueue(direct.task("a", o -> o.processIn(Duration.ofHours(1))));
    if (operation == Never.RESUME) {
      direct.queueControl().pause(Q);
    }
  }

  @ParameterizedTest
  @EnumSource
  void callsThatMustNotBeRepeatedAreSentOnceAndReportedAsUncertain(Never operation) {
    prepareFor(operation);
    operation.act(this);
    String done = world();
    prepareFor(operation);
    long before = calls(operation.command);
    proxy.next(operation.command, Fault.CUT_AFTER);

    BrokerUnavailableException e = unavailable(() -> operation.act(this));

    assertThat(e.mayHaveBeenApplied()).isTrue();
    assertThat(e).hasMessageContaining("lost the reply");
    assertThat(calls(operation.command)).isEqualTo(before + 1);
    assertThat(world()).isEqualTo(done);
  }

  @ParameterizedTest
  @EnumSource
  void whatMustNotBeRepeatedIsNotDoneWhenItNeverArrived(Never operation) {
    prepareFor(operation);
    String before = world();
    proxy.next(operation.command, Fault.CUT_BEFORE);

    assertThat(unavailable(() -> operation.act(this)).mayHaveBeenApplied()).isTrue();

    assertThat(world()).isEqualTo(before);
  }

  @Test
  void aPooledConnectionThatDiedIsNoticedBeforeWhatMustNotBeRepeatedIsSent() {
    enqueue("a");
    proxy.cutAll();

    assertThat(broker.queueControl().pause(Q)).isTrue();
  }

  @Test
  void aDemotedServerRefusesWhatMustNotBeRepeatedAndItIsSentAgainLater() {
    enqueue("a");
    try (Jedis admin = new Jedis(redis.host(), redis.port())) {
      admin.configResetStat();
      admin.configSet("replica-serve-stale-data", "no");
      admin.replicaof("127.0.0.1", 1);
      try (RedisCommandExecutor patient =
          BrokerFixture.link(config().retryFor(Duration.ofSeconds(60)).build())) {
        CompletableFuture<Boolean> paused =
            CompletableFuture.supplyAsync(
                () ->
                    RedisBroker.on(patient, new TestTime(direct.clock), /* numberedEnqueue= */ true)
                        .queueControl()
                        .pause(Q),
                threads);
        // Redis 6.2 answers the PING, and refuses the write.
        await()
            .until(
                () -> {
                  String errors = admin.info("errorstats");
                  return errors.contains("MASTERDOWN") || errors.contains("READONLY");
                });

        admin.replicaofNoOne();

        assertThat(paused).succeedsWithin(PATIENCE).isEqualTo(true);
      } finally {
        admin.replicaofNoOne();
        admin.configSet("replica-serve-stale-data", "yes");
      }
    }
  }

  @Test
  void aRefusedConnectionIsReportedAtOnceWhenNothingIsToBeRetried() {
    RedisConfig config = config().password("s3cret").retryFor(Duration.ZERO).build();
    proxy.refuse();
    long start = System.nanoTime();
    try (RedisConnection own = RedisConnection.lazy(config)) {
      BrokerUnavailableException e = unavailable(own::ping);

      assertThat(e.mayHaveBeenApplied()).isFalse();
      assertThat(e)
          .hasMessageContainingAll("127.0.0.1:" + proxy.port(), "refused", "check that it runs");
      assertThat(allMessages(e)).doesNotContain("s3cret");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }

  private static String allMessages(Throwable e) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = e; t != null; t = t.getCause()) {
      text.append(t).append('\n');
      for (Throwable s : t.getSuppressed()) {
        text.append(s).append('\n');
      }
    }
    return text.toString();
  }

  @Test
  void aCallWaitsForRedisToComeBack() {
    try (RedisCommandExecutor patient =
        BrokerFixture.link(config().retryFor(Duration.ofSeconds(20)).build())) {
      proxy.refuse();
      CompletableFuture<Object> answer =
          CompletableFuture.supplyAsync(
              () -> patient.call(0, ResendPolicy.NEVER, Command.PING, new CommandArgs()), threads);
      // Long enough for several vain attempts.
      await().pollDelay(Duration.ofMillis(100)).until(() -> !answer.isDone());

      proxy.acceptAgain();

      assertThat(answer).succeedsWithin(PATIENCE);
    }
  }

  @Test
  void aCommandThatMayHaveBeenDoneStaysInDoubtWhenNoConnectionCanBeHadAfterwards() {
    direct.enqueue("a");
    claim(1);
    direct.enqueue("b");
    proxy.next("EVALSHA", Fault.CUT_AFTER, proxy::refuse);

    BrokerUnavailableException e = unavailable(() -> claim(1));

    assertThat(e.mayHaveBeenApplied()).isTrue();
    assertThat(e)
        .hasMessageContainingAll("cannot connect", "an earlier attempt may have been executed");
    proxy.acceptAgain();
    assertThat(claim(1)).extracting(Claim::id).containsExactly("b");
  }

  @Test
  void aCommandThatMayHaveBeenDoneStaysInDoubtWhenTheConnectionIsClosedBeforeTheNextTry() {
    direct.enqueue("a");
    proxy.next("EVALSHA", Fault.CUT_AFTER, link::close);

    BrokerUnavailableException e = unavailable(() -> claim(1));

    assertThat(e.mayHaveBeenApplied()).isTrue();
    assertThat(e).hasMessageContaining("lost the reply");
  }

  @Test
  void aStalledRedisHoldsACallNoLongerThanItsTimeouts() {
    enqueue("warm");
    redis.pause();
    try {
      long start = System.nanoTime();

      BrokerUnavailableException e = unavailable(() -> enqueue("a"));

      assertThat(e.mayHaveBeenApplied()).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(RETRY_FOR.plus(COMMAND_TIMEOUT).plusSeconds(10));
    } finally {
      redis.resume();
    }
    assertThat(enqueue("b")).isEqualTo(EnqueueReply.ENQUEUED);
    // It had been sent several times, and arrived when Redis continued.
    assertThat(direct.world()).contains("pending: [b, a, warm]\n");
  }

  @Test
  void aSlowAnswerThatComesInTimeIsAnAnswer() {
    proxy.delayReplies(COMMAND_TIMEOUT.toMillis() / 2);

    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);

    assertThat(proxy.accepted()).isEqualTo(1);
  }

  @Test
  void aClaimThatWasGivenUpUnansweredIsDeliveredByTheNextOne() {
    direct.enqueue("a", "b");
    claimInVain();
    String granted = direct.world();

    // Other calls in between must not make Redis forget.
    enqueue("c");
    enqueue("d");

    List<Claim> claims = claim(5);
    assertThat(claims).extracting(Claim::id).containsExactly("a");
    assertThat(granted).contains("active: [a]\n", "claim=" + claims.get(0).token());
    assertThat(claim(5)).extracting(Claim::id).containsExactly("b", "c", "d");
    assertThat(settle(new Settlement.Complete(claims.get(0), Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
  }

  @Test
  void aClaimThatMayHaveBeenGrantedIsAskedForAgainAlsoAfterATryThatCouldNotConnect() {
    direct.enqueue("a", "b");
    claimInVain();

    proxy.refuse();
    assertThat(unavailable(() -> claim(1)).mayHaveBeenApplied()).isTrue();
    proxy.acceptAgain();

    assertThat(claim(5)).extracting(Claim::id).containsExactly("a");
    assertThat(claim(5)).extracting(Claim::id).containsExactly("b");
  }

  private void claimInVain() {
    enqueueNothing();
    proxy.next("EVALSHA", Fault.CUT_AFTER, () -> proxy.stall(true));
    assertThat(unavailable(() -> claim(1)).mayHaveBeenApplied()).isTrue();
    proxy.stall(false);
  }

  /** Makes a pooled connection, so that the next call needs no handshake. */
  private void enqueueNothing() {
    link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
  }

  @Test
  void aDuplicateThatArrivesAfterItsLaneHasMovedOnDoesNothing() {
    proxy.next("EVALSHA", Fault.HOLD);
    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);
    enqueue("b");
    finish(direct.claimOne());
    String before = world();

    assertThat(proxy.deliverHeld()).contains("STALE");

    assertThat(world()).isEqualTo(before).doesNotContain("t:a:");
  }

  @Test
  void aDuplicateThatArrivesLateIsAnsweredAndNotDoneAgain() {
    proxy.next("EVALSHA", Fault.HOLD);
    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);
    finish(direct.claimOne());
    String before = world();

    assertThat(proxy.deliverHeld()).isEqualTo(":1\r\n");

    assertThat(world()).isEqualTo(before);
  }

  @Test
  void fixesQ18_aTaskThatWasProcessedBeforeItsEnqueueWasAnsweredIsNotEnqueuedAgain() {
    proxy.next("EVALSHA", Fault.CUT_AFTER, () -> finish(direct.claimOne()));

    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);

    assertThat(world()).doesNotContain("t:a:", "pending").contains("\nprocessed: 1\n");
  }

  private void finish(Claim claim) {
    assertThat(direct.settle(new Settlement.Complete(claim, Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
  }

  @Test
  void scriptsThatRedisForgotAreSentAgain() {
    enqueue("a");
    link(Command.SCRIPT, "FLUSH");

    assertThat(enqueue("b")).isEqualTo(EnqueueReply.ENQUEUED);
    assertThat(claim(2)).extracting(Claim::id).containsExactly("a", "b");
  }

  @Test
  void aLostAnswerToAScriptSentInFullIsAskedForAgain() {
    link(Command.SCRIPT, "FLUSH");
    proxy.next("EVAL", Fault.CUT_AFTER);

    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);

    assertThat(world()).contains("pending: [a]\n");
  }

  @Test
  void aRedisThatRanOutOfMemoryTakesNoTasksButFinishesThoseItHas() {
    direct.enqueue("done", "again", "never", "back", "later", "next");
    List<Claim> claims = direct.claim(5);
    link(Command.CONFIG, "SET", "maxmemory", "1");
    try {
      String before = direct.world();

      for (NewTask task :
          List.of(
              direct.task("x"),
              direct.task("x", o -> o.queue("other")),
              direct.task("x", o -> o.group("g")),
              direct.task("x", o -> o.uniqueFor(Duration.ofHours(1))),
              direct.task("x", o -> o.processIn(Duration.ofHours(1))))) {
        BrokerRefusedException e = refused(() -> enqueue(task));
        assertThat(e.mayHaveBeenApplied()).isFalse();
        assertThat(e).hasMessageContainingAll("OOM", "raise maxmemory");
      }
      assertThat(direct.world()).isEqualTo(before);

      assertThat(settle(new Settlement.Complete(claims.get(0), Payload.absent())))
          .isEqualTo(SettleResult.APPLIED);
      assertThat(
              settle(
                  new Settlement.Retry(
                      claims.get(1), Duration.ofMinutes(1), "no", /* failure= */ true, false)))
          .isEqualTo(SettleResult.APPLIED);
      assertThat(settle(new Settlement.Archive(claims.get(2), "no")))
          .isEqualTo(SettleResult.APPLIED);
      assertThat(settle(new Settlement.Requeue(claims.get(3)))).isEqualTo(SettleResult.APPLIED);
      assertThat(settle(new Settlement.Reschedule(claims.get(4), Duration.ofMinutes(1), false)))
          .isEqualTo(SettleResult.APPLIED);
      assertThat(claim(5)).extracting(Claim::id).containsExactly("back", "next");
      assertThat(broker.queues().snapshot(Q).size(TaskState.RETRY)).isEqualTo(1);
    } finally {
      link(Command.CONFIG, "SET", "maxmemory", "0");
    }
    assertThat(enqueue("x")).isEqualTo(EnqueueReply.ENQUEUED);
  }

  @Test
  void whatCanBeRecoveredOfARedisThatRanOutOfMemoryCanBeExtendedToo() {
    direct.enqueue("kept", "lost");
    List<Claim> claims = direct.claim(2);
    link(Command.CONFIG, "SET", "maxmemory", "1");
    try {
      direct.clock.advance(LEASE.plusSeconds(1));
      assertThat(broker.leases().extend(Q, claims.subList(0, 1), LEASE)).doesNotContainNull();

      assertThat(direct.recover()).extracting(Upkeep.Recovered::id).containsExactly("lost");

      assertThat(world()).contains("active: [kept]\n", "pending: [lost]\n");
    } finally {
      link(Command.CONFIG, "SET", "maxmemory", "0");
    }
  }

  @Test
  void aClockStepOfRedisTakesNoTaskFromALiveWorker() {
    direct.enqueue("a");
    AtomicLong timer = new AtomicLong();
    RedisClock clock = new RedisClock(timer::get, Instant.now());
    RedisBroker other = RedisBroker.on(link, clock, /* numberedEnqueue= */ true);
    direct.clock.set(Instant.now().minusSeconds(60));
    Claim claim = direct.claimOne();
    Supplier<List<Upkeep.Recovered>> recover =
        () ->
            other
                .upkeep()
                .recover(Q, 10, CrashRules.DEFAULT, QueueRules.NONE, ArchiveRules.DEFAULT);

    // To this server it was a minute ago until now.
    clock.look("", Instant.now().minusSeconds(60), timer.get(), timer.get());
    assertThat(recover.get()).isEmpty();
    assertThat(recover.get()).isEmpty();
    assertThat(direct.source().extend(Q, List.of(claim), LEASE)).doesNotContainNull();
    timer.addAndGet(CrashRules.DEFAULT.goGrace().plusSeconds(1).toNanos());
    assertThat(recover.get()).hasSize(1);
  }

  @Test
  void aRedisThatRanOutOfMemoryKeepsResultsAllTheSame() {
    direct.enqueue(direct.task("a", o -> o.retention(Duration.ofHours(1))));
    Claim claim = direct.claimOne();
    link(Command.CONFIG, "SET", "maxmemory", "1");
    try {
      assertThat(settle(new Settlement.Complete(claim, Payload.ofUtf8("all of it"))))
          .isEqualTo(SettleResult.APPLIED);
    } finally {
      link(Command.CONFIG, "SET", "maxmemory", "0");
    }
    assertThat(broker.tasks().task(Q, "a").result()).isEqualTo(Payload.ofUtf8("all of it"));
  }

  @Test
  void aServerThatLivesIsSeenAlsoInARedisThatRanOutOfMemory() {
    Presence.Server server =
        new Presence.Server(
            "host", 7, "id", 1, Map.of("q", 1), true, "active", direct.clock.instant(), 0, null);
    link(Command.CONFIG, "SET", "maxmemory", "1");
    try {
      broker.presence().show(server, List.of(), Duration.ofSeconds(10));
      broker.presence().showEntries("scheduler", List.of(), Duration.ofSeconds(10));

      assertThat(broker.presence().seen(broken -> {}))
          .extracting(Presence.Seen::server)
          .containsExactly(server);
    } finally {
      link(Command.CONFIG, "SET", "maxmemory", "0");
    }
  }

  @Test
  void aRedisThatIsBusyWithAScriptIsUnavailableUntilThatIsKilled() {
    link(Command.CONFIG, "SET", "lua-time-limit", "30");
    // A busy Redis answers slowly, and a command that timed out may have been done.
    RedisConfig config = config().commandTimeout(PATIENCE).build();
    try (Connection hog = TestRedis.connect(redis);
        RedisCommandExecutor patient = BrokerFixture.link(config)) {
      hog.setSoTimeout((int) PATIENCE.toMillis());
      patient.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
      RedisBroker onBusy =
          RedisBroker.on(patient, new TestTime(direct.clock), /* numberedEnqueue= */ true);
      CompletableFuture<Void> running =
          CompletableFuture.runAsync(
              () -> send(hog, Command.EVAL, "while true do end", "0"), threads);
      try {
        await().atMost(PATIENCE).until(this::answersBusy);

        BrokerUnavailableException e =
            unavailable(() -> onBusy.enqueueing().enqueue(List.of(direct.task("a"))));

        assertThat(e.mayHaveBeenApplied()).isFalse();
        assertThat(e).hasMessageContainingAll("BUSY", "a script has been running too long");
      } finally {
        await().atMost(PATIENCE).until(() -> killedOrEnded(running));
      }
      assertThat(running).failsWithin(PATIENCE);
    }
    link(Command.CONFIG, "SET", "lua-time-limit", "5000");
    assertThat(enqueue("a")).isEqualTo(EnqueueReply.ENQUEUED);
    assertThat(world()).contains("pending: [a]\n");
  }

  private boolean answersBusy() {
    try {
      link(Command.PING);
      return false;
    } catch (JedisDataException e) {
      return String.valueOf(e.getMessage()).startsWith("BUSY");
    } catch (JedisConnectionException e) {
      return false;
    }
  }

  /** Until its time is up a script cannot be killed, and it may not even have begun. */
  private boolean killedOrEnded(CompletableFuture<Void> script) {
    try {
      link(Command.SCRIPT, "KILL");
      return true;
    } catch (JedisException e) {
      return script.isDone();
    }
  }

  @Test
  void aPrimaryThatWasDemotedIsUnavailableAndWaitedFor() {
    enqueue("a");
    link(Command.REPLICAOF, "127.0.0.1", "1");
    try (RedisCommandExecutor patient =
        BrokerFixture.link(config().retryFor(Duration.ofSeconds(20)).build())) {
      BrokerUnavailableException e = unavailable(() -> enqueue("b"));
      assertThat(e.mayHaveBeenApplied()).isFalse();
      assertThat(e).hasMessageContainingAll("READONLY", "this is a replica");

      RedisBroker waiting =
          RedisBroker.on(patient, new TestTime(direct.clock), /* numberedEnqueue= */ true);
      CompletableFuture<List<EnqueueReply>> answer =
          CompletableFuture.supplyAsync(
              () -> waiting.enqueueing().enqueue(List.of(direct.task("c"))), threads);
      // Long enough for several vain attempts.
      await().pollDelay(Duration.ofMillis(100)).until(() -> !answer.isDone());
      link(Command.REPLICAOF, "NO", "ONE");

      assertThat(answer).succeedsWithin(PATIENCE).isEqualTo(List.of(EnqueueReply.ENQUEUED));
    } finally {
      link(Command.REPLICAOF, "NO", "ONE");
    }
    assertThat(world()).contains("pending: [c, a]\n");
  }

  @Test
  void aWrongOrMissingPasswordIsRefusedAndNotRetried() {
    link(Command.CONFIG, "SET", "requirepass", "s3cret");
    try {
      try (RedisCommandExecutor own = BrokerFixture.link(config().build())) {
        assertThat(refused(() -> own.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs())))
            .hasMessageContainingAll("NOAUTH", "give the password in the URL");
      }
      try (RedisCommandExecutor own = BrokerFixture.link(config().password("wr0ng").build())) {
        BrokerException e =
            refused(() -> own.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs()));
        assertThat(e.mayHaveBeenApplied()).isFalse();
        assertThat(e).hasMessageContainingAll("WRONGPASS", "check user and password");
        assertThat(allMessages(e)).doesNotContain("wr0ng");
      }
      try (RedisCommandExecutor own = BrokerFixture.link(config().password("s3cret").build())) {
        assertThat(own.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs())).isNotNull();
      }
    } finally {
      direct.raw(Command.CONFIG, "SET", "requirepass", "");
    }
  }

  @Test
  void aKeyOfTheWrongKindIsRefused() {
    link(Command.SET, BrokerFixture.key("groups"), "text");

    BrokerRefusedException plain = refused(() -> broker.aggregation().groups(Q));
    BrokerRefusedException script = refused(() -> enqueue(direct.task("a", o -> o.group("g"))));

    assertThat(plain).hasMessageContaining("WRONGTYPE");
    assertThat(plain.mayHaveBeenApplied()).isFalse();
    assertThat(script).hasMessageContaining("WRONGTYPE");
    assertThat(script.mayHaveBeenApplied()).as("a script fails in the middle").isTrue();
  }

  @Test
  void whenAllConnectionsAreInUseTheCallerHearsThat() {
    RedisConfig one =
        config()
            .maxConnections(1)
            .commandTimeout(Duration.ofMillis(500))
            .retryFor(Duration.ZERO)
            .build();
    try (RedisCommandExecutor own = BrokerFixture.link(one)) {
      own.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
      proxy.delayReplies(300);
      List<CompletableFuture<Object>> calls =
          Stream.generate(
                  () ->
                      CompletableFuture.supplyAsync(
                          () -> own.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs()),
                          threads))
              // Redis answers two of them in the time that each may wait, however late they come.
              .limit(20)
              .toList();

      assertThat(calls)
          .haveAtLeastOne(
              new Condition<>(
                  call -> call.handle((answer, e) -> String.valueOf(e)).join().contains("in use"),
                  "refused for want of a connection"));
    }
  }

  @Test
  void aFullServerIsUnavailableAndReportsWhy() {
    enqueue("a");
    link(Command.CONFIG, "SET", "maxclients", "1");
    try (RedisCommandExecutor own = BrokerFixture.link(config().build())) {
      BrokerUnavailableException e =
          unavailable(() -> own.call(0, ResendPolicy.NEVER, Command.PING, new CommandArgs()));

      assertThat(e.mayHaveBeenApplied()).isFalse();
      assertThat(e).hasMessageContaining("maxclients");
    } finally {
      direct.raw(Command.CONFIG, "SET", "maxclients", "1000");
    }
  }

  @Test
  void afterAKillAndARestartWorkContinuesWithTheSavedData(@TempDir Path data) {
    try (EmbeddedRedis kept =
            EmbeddedRedis.builder().dataDirectory(data).appendFsync("always").start();
        RedisCommandExecutor own =
            BrokerFixture.link(
                RedisConfig.builder().standalone("127.0.0.1", kept.port()).build())) {
      RedisBroker onKept =
          RedisBroker.on(own, new TestTime(direct.clock), /* numberedEnqueue= */ true);
      for (int i = 0; i < 4; i++) {
        int each = i;
        CompletableFuture.allOf(
                CompletableFuture.runAsync(
                    () -> onKept.enqueueing().enqueue(List.of(direct.task("a" + each))), threads),
                CompletableFuture.runAsync(
                    () -> onKept.enqueueing().enqueue(List.of(direct.task("b" + each))), threads))
            .join();
      }
      kept.kill();
      kept.restart();

      assertThat(onKept.queueControl().pause(Q)).isTrue();
      assertThat(onKept.queueControl().resume(Q)).isTrue();
      assertThat(onKept.leases().claim(Q, 10, LEASE, QueueRules.NONE).claims()).hasSize(8);
    }
  }

  @Test
  void aRedisThatIsLoadingIsWaitedForOrUnavailable(@TempDir Path data) {
    try (EmbeddedRedis slow =
        EmbeddedRedis.builder()
            .dataDirectory(data)
            // Microseconds for each key, and a look at clients every few keys.
            .config("key-load-delay", "10000")
            .config("loading-process-events-interval-bytes", "1024")
            .start()) {
      fill(slow, 300);
      slow.kill();
      CompletableFuture<Void> restarted = CompletableFuture.runAsync(slow::restart, threads);
      await().pollInterval(Duration.ofMillis(10)).until(() -> answers(slow, "LOADING"));
      RedisConfig config =
          RedisConfig.builder()
              .standalone("127.0.0.1", slow.port())
              .retryFor(Duration.ofMillis(50))
              .build();
      try (RedisCommandExecutor hasty = BrokerFixture.link(config);
          RedisCommandExecutor patient =
              BrokerFixture.link(config.toBuilder().retryFor(Duration.ofSeconds(10)).build())) {
        BrokerUnavailableException e =
            unavailable(
                () ->
                    hasty.call("k", ResendPolicy.NEVER, Command.INCR, new CommandArgs().add("k")));
        assertThat(e.mayHaveBeenApplied()).isFalse();
        assertThat(e).hasMessageContaining("LOADING");

        assertThat(patient.call("k", ResendPolicy.NEVER, Command.INCR, new CommandArgs().add("k")))
            .isEqualTo(1L);
      }
      assertThat(restarted).succeedsWithin(PATIENCE);
    }
  }

  private static void fill(EmbeddedRedis redis, int keys) {
    try (Connection connection = TestRedis.connect(redis)) {
      for (int i = 0; i < keys; i++) {
        send(connection, Command.SET, "filler:" + i, "x".repeat(500));
      }
      // Only then are there keys to load, instead of commands to run.
      send(connection, Command.BGREWRITEAOF);
      await()
          .until(
              () ->
                  ReplyParser.text(send(connection, Command.INFO, "persistence"))
                      .contains("aof_rewrite_in_progress:0"));
    }
  }

  private static boolean answers(EmbeddedRedis redis, String error) {
    try (Connection connection = TestRedis.connect(redis)) {
      send(connection, Command.GET, "k");
      return false;
    } catch (JedisException e) {
      return String.valueOf(e.getMessage()).startsWith(error);
    }
  }

  @Test
  void aRedisThatCannotSaveRefusesAndNothingIsWritten() throws IOException {
    try (EmbeddedRedis broken = EmbeddedRedis.builder().config("save", "3600 1").start();
        RedisCommandExecutor own =
            BrokerFixture.link(
                RedisConfig.builder().standalone("127.0.0.1", broken.port()).build());
        Connection admin = TestRedis.connect(broken)) {
      // A snapshot cannot take the place of a directory.
      Files.createDirectory(broken.dataDirectory().resolve("dump.rdb"));
      send(admin, Command.BGSAVE);
      await()
          .until(
              () ->
                  ReplyParser.text(send(admin, Command.INFO, "persistence"))
                      .contains("rdb_last_bgsave_status:err"));
      RedisBroker onBroken =
          RedisBroker.on(own, new TestTime(direct.clock), /* numberedEnqueue= */ true);

      BrokerRefusedException e =
          refused(() -> onBroken.enqueueing().enqueue(List.of(direct.task("a"))));

      assertThat(e.mayHaveBeenApplied()).isFalse();
      assertThat(e).hasMessageContaining("MISCONF");
      assertThat(send(admin, Command.DBSIZE)).isEqualTo(0L);
    }
  }
}
