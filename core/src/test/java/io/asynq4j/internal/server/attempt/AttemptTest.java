package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.fixture.FailingLogs;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What ends an attempt. Needs no Redis. */
class AttemptTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private Handler<Task> handler = (task, context) -> Outcome.done();
  private final SettableClock clock = new SettableClock(NOON);
  private final List<AppliedOutcome> settled = new ArrayList<>();
  private int returns;
  private int settleFailures;

  private final AttemptHosts.IgnoringSink sink =
      new AttemptHosts.IgnoringSink() {
        @Override
        public void settle(Attempt attempt, AppliedOutcome applied) {
          if (settleFailures-- > 0) {
            throw new OutOfMemoryError("on purpose");
          }
          settled.add(applied);
        }

        @Override
        public void returned(Attempt attempt) {
          returns++;
        }
      };

  @AfterEach
  void close() {
    redis.close();
  }

  private Attempt attempt(UnaryOperator<TaskOptions.Builder> options) {
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(options), NOON);
    AttemptHost host =
        AttemptHosts.of(
            TaskServerAccess.config(TaskServer.builder(redis).handlers(handler)),
            handler,
            BrokerConnection.brokerOf(redis).leases(),
            clock,
            sink);
    return new Attempt(1, new Claim(task.message(), "token", NOON.plusSeconds(15)), host);
  }

  @Test
  void aStepOfTheClockDoesNotUseUpTheTimeOfAnAttempt() {
    for (Attempt attempt :
        new Attempt[] {
          attempt(o -> o.timeout(Duration.ofSeconds(50))),
          attempt(o -> o.deadline(NOON.plusSeconds(50)))
        }) {
      clock.set(NOON.plusSeconds(60));

      attempt.check(System.nanoTime());

      assertThat(attempt.cancelled()).isEmpty();
      assertThat(attempt.timeLeft()).isPositive();
      clock.set(NOON);
    }
  }

  @Test
  void anAttemptEndsAfterItsTimeRegardlessOfTheClock() {
    Attempt attempt = attempt(o -> o.timeout(Duration.ofSeconds(50)));

    attempt.check(System.nanoTime() + Duration.ofSeconds(51).toNanos());

    assertThat(attempt.cancelled()).contains(CancelReason.DEADLINE);
  }

  private List<Outcome> outcomes() {
    return settled.stream().map(AppliedOutcome::outcome).toList();
  }

  @Test
  void whatTheHandlerReturnedIsSettledOnce() {
    Attempt attempt = attempt(o -> o);

    attempt.run();
    attempt.requeue();

    assertThat(outcomes()).containsExactly(Outcome.done());
    assertThat(returns).isEqualTo(1);
    assertThat(attempt.isDecided()).isTrue();
    assertThat(attempt.isBeingDecided()).isFalse();
    assertThat(attempt.isRunning()).isFalse();
  }

  @Test
  void anAttemptThatWasRequeuedDoesNotCallItsHandler() {
    handler =
        (task, context) -> {
          throw new AssertionError("called");
        };
    Attempt attempt = attempt(o -> o);

    attempt.requeue();
    attempt.run();

    assertThat(outcomes()).containsExactly(Outcome.requeue());
    assertThat(settled.get(0).settlement()).isInstanceOf(Settlement.Requeue.class);
    assertThat(returns).isEqualTo(1);
  }

  @Test
  void anAttemptWhoseLeaseIsLostIsNeverSettled() {
    Attempt attempt = attempt(o -> o);

    attempt.leaseLost();
    attempt.run();

    assertThat(settled).isEmpty();
    assertThat(attempt.isLost()).isTrue();
    assertThat(attempt.cancelled()).contains(CancelReason.LEASE_LOST);
  }

  @Test
  void anAttemptIsAbandonedOnceAndNotAfterItWasDecided() {
    Attempt attempt = attempt(o -> o);
    Attempt decided = attempt(o -> o);
    decided.run();

    assertThat(attempt.abandon()).isTrue();
    assertThat(attempt.abandon()).isFalse();
    assertThat(decided.abandon()).isFalse();
    assertThat(attempt.cancelled()).contains(CancelReason.SHUTDOWN);
    assertThat(outcomes()).containsExactly(Outcome.done());
  }

  @Test
  void aHandlerThatDoesNotStopIsSettledWithoutItAndItsOutcomeIsIgnored() {
    List<Boolean> overdue = new ArrayList<>();
    handler =
        (task, context) -> {
          Attempt attempt = (Attempt) context;
          attempt.cancel(AfterCancel.DELETE);
          attempt.check(System.nanoTime() + Duration.ofHours(2).toNanos());
          overdue.add(attempt.isOverdue());
          attempt.settleWithoutHandler();
          overdue.add(attempt.isOverdue());
          return Outcome.done();
        };

    attempt(o -> o.timeout(Duration.ofDays(1))).run();

    assertThat(overdue).containsExactly(true, false);
    assertThat(outcomes()).containsExactly(Outcome.drop());
  }

  @Test
  void aCheckThatFailsIsNotThrownSoThatItPreventsNoOther() {
    List<CancelReason> reasons = new ArrayList<>();
    handler =
        (task, context) -> {
          Attempt attempt = (Attempt) context;
          attempt.cancel(CancelReason.REQUESTED);
          try (FailingLogs logs = new FailingLogs("occupies a worker")) {
            attempt.check(System.nanoTime() + Duration.ofHours(2).toNanos());
            assertThat(logs.count()).isEqualTo(1);
          }
          reasons.add(attempt.cancelled().orElseThrow());
          return Outcome.done();
        };

    attempt(o -> o.timeout(Duration.ofDays(1))).run();

    assertThat(reasons).containsExactly(CancelReason.REQUESTED);
  }

  @Test
  void aHandOverThatFailedIsRepeatedWithTheNextCheck() {
    settleFailures = 2;
    Attempt attempt = attempt(o -> o);

    attempt.run();
    assertThat(attempt.isDecided()).isTrue();
    attempt.check(System.nanoTime());
    assertThat(settled).isEmpty();
    attempt.check(System.nanoTime());
    attempt.check(System.nanoTime());

    assertThat(outcomes()).containsExactly(Outcome.done());
  }

  @Test
  void actionsRunWhenTheHandlerIsAskedToStop() {
    List<String> ran = new ArrayList<>();
    Attempt attempt = attempt(o -> o);
    attempt.onCancel(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    attempt.onCancel(() -> ran.add("before"));

    attempt.cancel(CancelReason.REQUESTED);
    attempt.cancel(CancelReason.SHUTDOWN);
    attempt.onCancel(() -> ran.add("after"));

    assertThat(ran).containsExactly("before", "after");
    assertThat(attempt.cancelled()).contains(CancelReason.REQUESTED);
  }
}
