package io.asynq4j.handler;

import static io.asynq4j.fixture.BrokerFixture.NOON;
import static io.asynq4j.fixture.BrokerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.TestRedis;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.Protocol.Command;

/** Semaphores as handlers use them: requirements sm01 to sm08. */
@TestInstance(Lifecycle.PER_CLASS)
class TaskSemaphoreIT {

  private static final String KEY = "asynq:sema:api";

  private TestRedis server;
  private BrokerFixture redis;

  @BeforeAll
  void startRedis() {
    server = TestRedis.standalone();
  }

  @AfterAll
  void stopRedis() {
    server.close();
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(server);
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  private TaskSemaphore semaphore(int tokens) {
    return TaskSemaphoreAccess.broker(redis.broker, "api", tokens);
  }

  private static TaskContext task(String id) {
    return TaskSemaphoreAccess.attempt(id, NOON.plusSeconds(60));
  }

  @Test
  void sm01_aSemaphoreNeedsTokensAndAScope() {
    assertThatThrownBy(() -> TaskSemaphoreAccess.broker(redis.broker, " ", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the number of tokens of a semaphore must be 1 or greater, got 0");
    assertThatThrownBy(() -> TaskSemaphoreAccess.broker(redis.broker, " ", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the scope of a semaphore must not be blank");
  }

  @Test
  void sm02_sm03_thereAreAsManyTokensAsConfigured() {
    TaskSemaphore semaphore = semaphore(3);

    assertThat(semaphore.tryAcquire(task("a"))).isTrue();
    assertThat(semaphore.tryAcquire(task("b"))).isTrue();
    assertThat(semaphore.tryAcquire(task("c"))).isTrue();
    assertThat(semaphore.tryAcquire(task("d"))).isFalse();

    String until = "=" + (T + 60);
    assertThat(redis.world())
        .isEqualTo(KEY + ": {a" + until + ", b" + until + ", c" + until + "}\n");
  }

  @Test
  void sm06_aTokenIsFreeOnceTheDeadlineOfItsTaskHasPassed() {
    TaskSemaphore semaphore = semaphore(1);
    assertThat(semaphore.tryAcquire(task("a"))).isTrue();

    redis.clock.advance(Duration.ofSeconds(60));
    assertThat(semaphore.tryAcquire(task("b"))).isFalse();
    redis.clock.advance(Duration.ofSeconds(1));
    assertThat(semaphore.tryAcquire(TaskSemaphoreAccess.attempt("b", NOON.plusSeconds(99))))
        .isTrue();

    assertThat(redis.world()).isEqualTo(KEY + ": {b=" + (T + 99) + "}\n");
  }

  @Test
  void fixesW60_aTaskThatHasATokenKeepsItAlsoWhenAllAreTaken() {
    TaskSemaphore semaphore = semaphore(1);
    assertThat(semaphore.tryAcquire(task("a"))).isTrue();

    assertThat(semaphore.tryAcquire(TaskSemaphoreAccess.attempt("a", NOON.plusSeconds(99))))
        .isTrue();

    assertThat(semaphore.tryAcquire(task("b"))).isFalse();
    assertThat(redis.world()).isEqualTo(KEY + ": {a=" + (T + 99) + "}\n");
  }

  @Test
  void sm07_sm08_aTokenIsReleasedOnceAndOnlyByItsHolder() {
    TaskSemaphore semaphore = semaphore(2);
    semaphore.tryAcquire(task("a"));
    semaphore.tryAcquire(task("b"));

    assertThat(semaphore.release(task("never"))).isFalse();
    assertThat(semaphore.release(task("a"))).isTrue();
    assertThat(semaphore.release(task("a"))).isFalse();
    assertThat(redis.world()).isEqualTo(KEY + ": {b=" + (T + 60) + "}\n");
    assertThat(semaphore.release(task("b"))).isTrue();
    assertThat(redis.world()).isEmpty();
  }

  @Test
  void tokensOfGoWorkersCount() {
    redis.raw(Command.ZADD, KEY, Long.toString(T + 5), "of-go");

    assertThat(semaphore(1).tryAcquire(task("a"))).isFalse();
    assertThat(semaphore(2).tryAcquire(task("a"))).isTrue();
  }

  @Test
  void anActionRunsWithATokenAndGivesItBack() throws Exception {
    TaskSemaphore semaphore = semaphore(1);

    Outcome outcome =
        semaphore.run(
            task("a"),
            Duration.ofSeconds(5),
            () -> {
              assertThat(semaphore.tryAcquire(task("b"))).isFalse();
              return Outcome.done("r");
            });

    assertThat(outcome).isEqualTo(Outcome.done("r"));
    assertThat(redis.world()).isEmpty();
  }

  @Test
  void withoutATokenTheActionIsNotRunAndTheTaskWaits() throws Exception {
    TaskSemaphore semaphore = semaphore(1);
    semaphore.tryAcquire(task("b"));
    AtomicBoolean ran = new AtomicBoolean();

    Outcome outcome =
        semaphore.run(
            task("a"),
            Duration.ofSeconds(5),
            () -> {
              ran.set(true);
              return Outcome.done();
            });

    assertThat(outcome).isEqualTo(Outcome.snooze(Duration.ofSeconds(5)));
    assertThat(ran).isFalse();
    assertThat(redis.world()).isEqualTo(KEY + ": {b=" + (T + 60) + "}\n");
  }

  @Test
  void anActionThatFailsGivesItsTokenBackToo() {
    assertThatThrownBy(
            () ->
                semaphore(1)
                    .run(
                        task("a"),
                        Duration.ofSeconds(5),
                        () -> {
                          throw new java.io.IOException("boom");
                        }))
        .hasMessage("boom");

    assertThat(redis.world()).isEmpty();
  }
}
