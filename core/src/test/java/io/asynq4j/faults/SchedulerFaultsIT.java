package io.asynq4j.faults;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.faults.FaultProxy.Fault;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RedisTextDump;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.fixture.TestTime;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.store.RedisBroker;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.schedule.SchedulerAccess;
import io.asynq4j.schedule.SchedulerContract.Recorder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A scheduler when Redis is unavailable or its replies are lost, and its lifecycle on real threads.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class SchedulerFaultsIT {

  private static final ScheduleEntry MINUTELY =
      ScheduleEntry.of("e", Schedule.cron("* * * * *"), Task.of("t"));

  private TestRedis server;
  private FaultProxy proxy;
  private RedisCommandExecutor link;
  private RedisBroker broker;
  private final SettableClock clock = new SettableClock(NOON);

  @BeforeAll
  void startServer() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    server.flush();
    clock.set(NOON);
    proxy = new FaultProxy(server.primaries().get(0).port());
    connect(Duration.ofMillis(300), Duration.ofMillis(100));
  }

  private void connect(Duration commandTimeout, Duration retryFor) {
    link =
        BrokerFixture.link(
            RedisConfig.builder()
                .standalone("127.0.0.1", proxy.port())
                .commandTimeout(commandTimeout)
                .retryFor(retryFor)
                .build());
    broker = RedisBroker.on(link, new TestTime(clock), /* numberedEnqueue= */ true);
  }

  @AfterEach
  void disconnect() {
    link.close();
    proxy.close();
  }

  private void pass(Duration time, Scheduler scheduler) {
    clock.advance(time);
    SchedulerAccess.round(scheduler);
  }

  private long pending() {
    return broker.queues().names().isEmpty()
        ? 0
        : broker.tasks().list(QueueName.DEFAULT, Listing.first(TaskState.PENDING, 1)).total();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void q03_whileRedisIsUnavailableEachInstantIsReportedOnceAndTheSchedulerContinues(
      boolean shared) {
    Recorder recorder = new Recorder();
    Scheduler.Builder builder =
        SchedulerAccess.broker(broker)
            .add(ScheduleEntry.of("e", Schedule.of("@every 3s"), Task.of("t")))
            .listener(recorder);
    Scheduler scheduler = (shared ? builder : builder.withoutLeader()).build();
    proxy.refuse();
    SchedulerAccess.round(scheduler);

    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(1), scheduler);
    }

    assertThat(recorder.received.stream().filter(line -> line.startsWith("failed")))
        .containsExactly("failed 3", "failed 6", "failed 9");
    assertThat(recorder.errors)
        .allSatisfy(error -> assertThat(error).isInstanceOf(BrokerUnavailableException.class));
    proxy.acceptAgain();
    pass(Duration.ofSeconds(2), scheduler);
    pass(Duration.ofSeconds(3), scheduler);
    assertThat(pending()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"skip, 0", "runOnce, 1", "runAll, 4"})
  void whatBecomesOfInstantsWhileRedisWasAwayIsUpToThePolicy(String name, int expected) {
    MissedPolicy policy =
        switch (name) {
          case "skip" -> MissedPolicy.skip();
          case "runOnce" -> MissedPolicy.runOnce();
          default -> MissedPolicy.runAll(10);
        };
    Scheduler scheduler = SchedulerAccess.broker(broker).add(MINUTELY.missed(policy)).build();
    SchedulerAccess.round(scheduler);
    proxy.refuse();
    for (int i = 0; i < 4; i++) {
      pass(Duration.ofMinutes(1), scheduler);
    }
    proxy.acceptAgain();

    pass(Duration.ofSeconds(40), scheduler);

    assertThat(pending()).isEqualTo(expected);
    pass(Duration.ofSeconds(20), scheduler);
    assertThat(pending()).isEqualTo(expected + 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInstantWhoseReplyIsLostFiresOnceAndIsReportedAsEnqueued(boolean sentAgain) {
    // The call is sent again within one round, however slow the machine is.
    link.close();
    connect(Duration.ofSeconds(10), Duration.ofMinutes(1));
    Recorder recorder = new Recorder();
    Scheduler scheduler = SchedulerAccess.broker(broker).add(MINUTELY).listener(recorder).build();
    SchedulerAccess.round(scheduler);
    pass(Duration.ofMinutes(1), scheduler);
    String fire = new String(Script.FIRE.sha(), StandardCharsets.US_ASCII);
    proxy.next(fire, sentAgain ? Fault.CUT_AFTER : Fault.CUT_BEFORE);

    pass(Duration.ofMinutes(1), scheduler);

    assertThat(proxy.isSprung()).isTrue();
    assertThat(pending()).isEqualTo(2);
    assertThat(recorder.received)
        .containsExactly("before 60", "enqueued 60", "before 120", "enqueued 120");
  }

  @Test
  void fixesW37_itRunsOnceAtATimeAndCanBeStoppedAnyNumberOfTimes() {
    try (RedisConnection redis = RedisConnection.open(server.config())) {
      Scheduler scheduler =
          Scheduler.builder(redis)
              .add("e", Schedule.every(Duration.ofSeconds(1)), Task.of("t"))
              .build();
      scheduler.start();
      assertThatIllegalStateException().isThrownBy(scheduler::start);
      await().until(() -> pending() >= 2);
      assertThat(scheduler.isLeading()).isTrue();

      scheduler.stop();
      scheduler.close();

      assertThat(scheduler.isLeading()).isFalse();
      assertThat(broker.presence().schedulerEntries(unreadable -> {})).isEmpty();
      assertThat(RedisTextDump.of(server)).doesNotContain("leader");
    }
  }

  @Test
  void aSchedulerThatWasNeverStartedStopsTooAndMayBeStartedLater() {
    try (RedisConnection redis = RedisConnection.lazy(server.config())) {
      Scheduler scheduler =
          Scheduler.builder(redis)
              .add("e", Schedule.every(Duration.ofHours(1)), Task.of("t"))
              .build();
      scheduler.stop();
      scheduler.start();
      await().until(scheduler::isLeading);
      scheduler.stop();
      assertThat(scheduler.isLeading()).isFalse();
    }
  }

  @Test
  void itStartsWhileRedisIsAwayAndItsSourceIsAskedAgain() {
    RedisConfig config =
        RedisConfig.builder()
            .standalone("127.0.0.1", proxy.port())
            .commandTimeout(Duration.ofMillis(300))
            .retryFor(Duration.ZERO)
            .build();
    proxy.refuse();
    AtomicInteger asked = new AtomicInteger();
    try (RedisConnection redis = RedisConnection.lazy(config);
        Scheduler scheduler =
            Scheduler.builder(redis)
                .sourceInterval(Duration.ofSeconds(1))
                .source(
                    () -> {
                      asked.incrementAndGet();
                      return List.of(ScheduleEntry.of("e", Schedule.of("@every 1s"), Task.of("t")));
                    })
                .build()) {
      scheduler.start();
      await().until(() -> asked.get() >= 2);
      proxy.acceptAgain();
      await().until(() -> pending() >= 2);
    }
  }
}
