package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The watchdog does little while there are no handlers. Needs no Redis. */
class WatchdogTest {

  /** Longer than any test, so that only a signal ends a wait. */
  private static final Duration REST = Duration.ofMinutes(5);

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final AttemptHost host =
      AttemptHosts.of(
          TaskServerAccess.config(TaskServer.builder(redis).handlers(handler)),
          handler,
          BrokerConnection.brokerOf(redis).leases(),
          BrokerConnection.brokerOf(redis).clock(),
          new AttemptHosts.IgnoringSink());
  private final AttemptRegistry attempts = new AttemptRegistry();
  private final AtomicInteger looks = new AtomicInteger();
  private final Watchdog watchdog =
      new Watchdog(attempts, List.of(WatchdogTest::fail, looks::incrementAndGet), REST);
  private final Thread thread = new Thread(watchdog);

  private static void fail() {
    throw new OutOfMemoryError("on purpose");
  }

  @BeforeEach
  void start() {
    thread.start();
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  @AfterEach
  void stop() throws InterruptedException {
    watchdog.stop();
    thread.join();
    redis.close();
  }

  private Attempt attempt(Instant deadline) {
    Instant now = host.clock().instant();
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(o -> o.deadline(deadline)), now);
    return new Attempt(1, new Claim(task.message(), "token", now.plusSeconds(15)), host);
  }

  private Instant nextSecond() {
    return host.clock().instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
  }

  @Test
  void oneThatRestsIsWokenForAnAttemptWhoseTimeIsUpSoon() {
    Attempt attempt = attempt(nextSecond());
    assertThat(attempt.isBrief()).isTrue();

    attempts.add(attempt);

    await().until(() -> attempt.cancelled().isPresent());
    assertThat(host.clock().instant()).isAfterOrEqualTo(attempt.deadline());
  }

  @Test
  void aFailedCheckPreventsNoOther() {
    assertThat(looks.get()).isPositive();
    assertThat(thread.isAlive()).isTrue();
  }

  @Test
  void oneThatRestsIsNotWokenForOthers() {
    Attempt attempt = attempt(nextSecond().plusSeconds(60));
    assertThat(attempt.isBrief()).isFalse();

    int before = looks.get();

    attempts.add(attempt);

    // So that starting work does not wake another thread.
    await().during(Duration.ofMillis(300)).until(() -> looks.get() == before);
    assertThat(attempt.cancelled()).isEmpty();
  }
}
