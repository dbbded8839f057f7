package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.server.ServerEngine;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What ends an attempt. Nothing here needs Redis. */
class AttemptTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final ServerEngine engine =
      new ServerEngine(
          redis, TaskServerAccess.config(TaskServer.builder(redis).handlers(handler)), handler);
  private Clock clock = Clock.fixed(NOON, ZoneOffset.UTC);

  /** The server itself, with a clock that a test sets. */
  private final AttemptHost host =
      new AttemptHost() {
        @Override
        public ServerConfig config() {
          return engine.config();
        }

        @Override
        public Handler<Task> handler() {
          return engine.handler();
        }

        @Override
        public ServerListener events() {
          return engine.events();
        }

        @Override
        public OutcomePolicy endings() {
          return engine.endings();
        }

        @Override
        public FailureLog failures() {
          return engine.failures();
        }

        @Override
        public LeaseOperations source() {
          return engine.source();
        }

        @Override
        public Clock clock() {
          return clock;
        }

        @Override
        public void settle(Attempt attempt, AttemptOutcome ended) {}

        @Override
        public void forget(Attempt attempt) {}

        @Override
        public void progress(Attempt attempt, Progress progress) {}

        @Override
        public boolean writeResult(Attempt attempt, Payload result) {
          return true;
        }
      };

  @AfterEach
  void close() {
    redis.close();
  }

  private Attempt attempt(UnaryOperator<TaskOptions.Builder> options) {
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(options), NOON);
    return new Attempt(1, new Claim(task.message(), "token", NOON.plusSeconds(15)), host);
  }

  @Test
  void aStepOfTheClockDoesNotUseUpTheTimeOfAnAttempt() {
    for (Attempt attempt :
        new Attempt[] {
          attempt(o -> o.timeout(Duration.ofSeconds(50))),
          attempt(o -> o.deadline(NOON.plusSeconds(50)))
        }) {
      clock = Clock.fixed(NOON.plusSeconds(60), ZoneOffset.UTC);

      attempt.check(System.nanoTime());

      assertThat(attempt.cancelled()).isEmpty();
      assertThat(attempt.timeLeft()).isPositive();
      clock = Clock.fixed(NOON, ZoneOffset.UTC);
    }
  }

  @Test
  void anAttemptIsOverWhenItsTimeHasPassedWhateverTheClockSays() {
    Attempt attempt = attempt(o -> o.timeout(Duration.ofSeconds(50)));

    attempt.check(System.nanoTime() + Duration.ofSeconds(51).toNanos());

    assertThat(attempt.cancelled()).contains(CancelReason.DEADLINE);
  }
}
