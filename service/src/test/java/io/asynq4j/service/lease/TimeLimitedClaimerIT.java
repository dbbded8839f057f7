package io.asynq4j.service.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims from a Redis server that answers when the test lets it. Callers would wait for it for an
 * hour, so a claim that returns has not waited.
 */
class TimeLimitedClaimerIT {

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LONG = Duration.ofHours(1);

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final TaskClient client = TaskClient.create(redis);
  private final Inspector inspector = Inspector.create(redis);
  private final SlowServer source = new SlowServer(TaskLeases.create(redis));
  private final Set<String> reported = ConcurrentHashMap.newKeySet();
  private @Nullable TimeLimitedClaimer claims;

  /** Answers each call when it has a permit. */
  private static final class SlowServer implements TimeLimitedClaimer.Source {
    private final TaskLeases leases;
    private final Semaphore permits = new Semaphore(0);
    private volatile boolean fails = true;

    SlowServer(TaskLeases leases) {
      this.leases = leases;
    }

    @Override
    public String serverOf(String queue) {
      return "slow";
    }

    @Override
    public LeaseBatch claim(String queue, int max, Duration lease) {
      if (fails) {
        throw new BrokerUnavailableException("fails", false, new IOException("on purpose"));
      }
      permits.acquireUninterruptibly();
      return leases.claimBatch(queue, max, lease);
    }

    @Override
    public void requeue(List<LeasedTask> tasks) {
      leases.settle(tasks.stream().map(task -> new LeaseOutcome(task, Outcome.requeue())).toList());
    }
  }

  @BeforeEach
  void enqueue() {
    for (String queue : List.of("a", "b")) {
      for (int i = 0; i < 3; i++) {
        client.enqueue(Task.of("t"), TaskOptions.of(o -> o.queue(queue))).orThrow();
      }
    }
  }

  @AfterEach
  void close() {
    source.permits.release(1_000);
    if (claims != null) {
      claims.close();
    }
    client.close();
    redis.close();
    server.close();
  }

  /** From a server whose last call failed, so that no caller waits for it. */
  private TimeLimitedClaimer slow(Duration keep) {
    TimeLimitedClaimer opened =
        new TimeLimitedClaimer(source, reported::addAll, TimeUnit.HOURS.toNanos(1), keep);
    claims = opened;
    assertThat(opened.claim("a", 1, LEASE)).isNull();
    source.fails = false;
    awaitReported("a");
    return opened;
  }

  private static List<LeasedTask> tasks(@Nullable LeaseBatch batch) {
    return Objects.requireNonNull(batch).tasks();
  }

  private void awaitReported(String queue) {
    await().until(() -> reported.remove(queue));
  }

  private void assertSizes(String queue, int pending, int active) {
    assertThat(inspector.queue(queue).snapshot().size(TaskState.PENDING)).isEqualTo(pending);
    assertThat(inspector.queue(queue).snapshot().size(TaskState.ACTIVE)).isEqualTo(active);
  }

  private void awaitSizes(String queue, int pending, int active) {
    await().untilAsserted(() -> assertSizes(queue, pending, active));
  }

  @Test
  void noCallerWaitsForAServerThatWasLate() {
    TimeLimitedClaimer opened = slow(LONG);

    assertThat(opened.claim("a", 1, LEASE)).isNull();
    assertThat(opened.claim("b", 1, LEASE)).isNull();
    assertThat(opened.claim("a", 1, LEASE)).isNull();
  }

  @Test
  void aLateAnswerIsKeptForTheNextCaller() {
    TimeLimitedClaimer opened = slow(LONG);
    assertThat(opened.claim("a", 2, LEASE)).isNull();
    assertThat(opened.claim("b", 1, LEASE)).isNull();

    source.permits.release(2);
    awaitReported("a");
    awaitReported("b");

    // There is no permit for another call.
    assertThat(tasks(opened.claim("a", 2, LEASE))).hasSize(2);
    assertThat(tasks(opened.claim("b", 1, LEASE))).hasSize(1);
    assertSizes("a", 1, 2);
    assertSizes("b", 2, 1);
  }

  @Test
  void tasksOfALateAnswerThatNoCallerFetchesReturnToTheirQueue() {
    TimeLimitedClaimer opened = slow(Duration.ofMillis(1));
    assertThat(opened.claim("a", 2, LEASE)).isNull();

    source.permits.release();
    awaitReported("a");

    awaitSizes("a", 3, 0);
  }

  @Test
  void tasksBeyondWhatTheNextCallerWantsReturnToTheirQueue() {
    TimeLimitedClaimer opened = slow(LONG);
    assertThat(opened.claim("a", 3, LEASE)).isNull();
    source.permits.release();
    awaitReported("a");

    assertThat(tasks(opened.claim("a", 1, LEASE))).hasSize(1);

    awaitSizes("a", 2, 1);
  }

  @Test
  void aCallerThatWantsAnotherLeaseGetsTasksOfACallOfItsOwn() {
    TimeLimitedClaimer opened = slow(LONG);
    assertThat(opened.claim("a", 3, LEASE)).isNull();
    source.permits.release();
    awaitReported("a");
    // Answered at once, so callers wait for the server again.
    source.permits.release();

    List<LeasedTask> tasks = tasks(opened.claim("a", 3, LEASE.multipliedBy(2)));

    // The number that had returned to the queue when it claimed.
    int count = tasks.size();
    awaitSizes("a", 3 - count, count);
    assertThat(tasks)
        .allSatisfy(
            task -> assertThat(task.leasedUntil()).isAfter(redis.clock().instant().plus(LEASE)));
  }

  private int active(String queue) {
    return (int) inspector.queue(queue).snapshot().size(TaskState.ACTIVE);
  }

  @Test
  void tasksOfALateAnswerReturnToTheirQueueWhileMostOfTheirLeaseIsLeft() {
    Duration brief = Duration.ofSeconds(12);
    TimeLimitedClaimer opened = slow(LONG);
    assertThat(opened.claim("a", 3, brief)).isNull();
    source.permits.release();
    awaitReported("a");

    // A quarter of the lease later they return to the queue.
    awaitSizes("a", 3, 0);
  }

  @Test
  void answersThatAreKeptKeepNoOtherQueueFromBeingAsked() {
    TimeLimitedClaimer opened = slow(LONG);
    for (int i = 0; i < 8; i++) {
      assertThat(opened.claim("empty" + i, 1, LEASE)).isNull();
    }
    assertThat(opened.claim("a", 1, LEASE)).as("one call too many").isNull();
    source.permits.release(8);
    awaitReported("a");
    for (int i = 0; i < 8; i++) {
      awaitReported("empty" + i);
    }

    source.permits.release();
    assertThat(tasks(opened.claim("a", 1, LEASE))).hasSize(1);
  }

  @Test
  void tasksThatAreKeptReturnToTheirQueueAtTheEnd() {
    TimeLimitedClaimer opened = slow(LONG);
    assertThat(opened.claim("a", 2, LEASE)).isNull();
    assertThat(opened.claim("b", 2, LEASE)).isNull();
    source.permits.release();
    await().until(() -> active("a") + active("b") == 2);

    opened.close();
    source.permits.release();

    awaitSizes("a", 3, 0);
    awaitSizes("b", 3, 0);
  }

  @Test
  void callersWaitAgainOnceTheServerAnswersInTime() {
    TimeLimitedClaimer opened = slow(LONG);
    source.permits.release(2);
    assertThat(opened.claim("a", 1, LEASE)).isNull();
    awaitReported("a");
    assertThat(tasks(opened.claim("a", 1, LEASE))).hasSize(1);

    assertThat(tasks(opened.claim("b", 1, LEASE))).hasSize(1);
  }
}
