package io.asynq4j.service.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.ServiceFixture.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that request tasks of several names, one of which fails. */
class LeaseDispatcherIT {

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration WAIT = Duration.ofMinutes(5);

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    fixture.start("tasks: { good: { kind: worker }, bad: { kind: worker }, z: { kind: worker } }");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void breakQueue(String queue) throws IOException {
    assertThat(fixture.redis("SET asynq:{%s}:pending broken".formatted(queue))).isEqualTo("+OK");
  }

  @Test
  void tasksOfOneQueueReachTheWorkerThoughTheNextQueueFails() throws IOException {
    breakQueue("bad");
    // In a random order each time.
    for (int i = 0; i < 20; i++) {
      fixture.post("/v1/tasks", "{\"name\":\"good\",\"id\":\"%d\"}".formatted(i));
      Reply leased = fixture.post("/v1/lease", "{\"names\":[\"good\",\"bad\"],\"max\":5}");
      assertThat(leased.status()).as(leased.body()).isEqualTo(200);
      assertThat(leased.at("/tasks/0/id").stringValue()).isEqualTo(Integer.toString(i));
    }
    assertThat(fixture.post("/v1/lease", "{\"names\":[\"good\",\"bad\"]}").status()).isEqualTo(503);
  }

  @Test
  void aQueueThatFailsDelaysNoWorkerOfAnother() throws Exception {
    CompletableFuture<Reply> bad = waiting("bad");
    CompletableFuture<Reply> good = waiting("good");
    CompletableFuture<Reply> last = waiting("z");
    await().until(() -> waitingWorkers() == 3);
    breakQueue("bad");
    fixture.post("/v1/tasks", "{\"name\":\"good\"}");
    fixture.post("/v1/tasks", "{\"name\":\"z\"}");
    assertThat(good.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
    assertThat(last.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
    assertThat(bad).isNotDone();

    fixture.redis("DEL asynq:{bad}:pending");
    fixture.post("/v1/tasks", "{\"name\":\"bad\"}");
    assertThat(bad.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
  }

  /** A dispatcher whose first answer finds no thread. */
  @Test
  void tasksThatNoThreadCouldBeHadToAnswerWithGoBackAndTheirWorkerIsAnsweredLater()
      throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Executor scarce =
        task -> {
          if (refused.getAndIncrement() == 0) {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
          }
          ForkJoinPool.commonPool().execute(task);
        };
    TaskLeases leases = TaskLeases.create(fixture.redis);
    try (LeaseDispatcher dispatcher =
        new LeaseDispatcher(
            () -> leases, fixture.redis.clock(), scarce, LeaseDispatcher.RECHECK_INTERVAL)) {
      CompletableFuture<List<LeasedTask>> answer =
          dispatcher.lease(List.of("good"), 1, LEASE, WAIT).toCompletableFuture();
      fixture.post("/v1/tasks", "{\"name\":\"good\",\"id\":\"1\"}");

      List<LeasedTask> tasks = answer.get(1, TimeUnit.MINUTES);

      assertThat(tasks).extracting(LeasedTask::id).containsExactly("1");
      assertThat(refused).hasValueGreaterThan(1);
    }
  }

  @Test
  void aPollThatEndedWithoutAThreadForItsAnswerIsAnsweredLater() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    Executor scarce =
        task -> {
          if (refused.getAndIncrement() < 3) {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
          }
          ForkJoinPool.commonPool().execute(task);
        };
    TaskLeases leases = TaskLeases.create(fixture.redis);
    try (LeaseDispatcher dispatcher =
        new LeaseDispatcher(
            () -> leases, fixture.redis.clock(), scarce, LeaseDispatcher.RECHECK_INTERVAL)) {
      assertThat(
              dispatcher
                  .lease(List.of("good"), 1, LEASE, Duration.ofMillis(10))
                  .toCompletableFuture()
                  .get(1, TimeUnit.MINUTES))
          .isEmpty();
    }
  }

  @Test
  void aHoldBeyondAllCalendarsKeepsNoWorkerFromItsAnswer() throws Exception {
    TaskLeases leases = TaskLeases.builder(fixture.redis).queue("good", q -> q.ordered()).build();
    fixture.post("/v1/tasks", "{\"name\":\"good\",\"id\":\"1\"}");
    fixture.redis("HSET asynq:{good}:t:1 hold_until inf");
    try (LeaseDispatcher dispatcher =
        new LeaseDispatcher(
            () -> leases,
            fixture.redis.clock(),
            ForkJoinPool.commonPool(),
            LeaseDispatcher.RECHECK_INTERVAL)) {
      CompletableFuture<List<LeasedTask>> both =
          dispatcher.lease(List.of("good", "z"), 1, LEASE, WAIT).toCompletableFuture();
      CompletableFuture<List<LeasedTask>> brief =
          dispatcher.lease(List.of("good"), 1, LEASE, Duration.ofMillis(500)).toCompletableFuture();

      assertThat(brief.get(1, TimeUnit.MINUTES)).isEmpty();
      fixture.post("/v1/tasks", "{\"name\":\"z\",\"id\":\"2\"}");
      assertThat(both.get(1, TimeUnit.MINUTES)).extracting(LeasedTask::id).containsExactly("2");
    }
  }

  private CompletableFuture<Reply> waiting(String name) {
    return fixture.sendAsync(
        "POST", "/v1/lease", "{\"names\":[\"%s\"],\"wait\":\"60s\"}".formatted(name));
  }

  private int waitingWorkers() {
    return fixture
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("asynq_service_waiting "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElse(0);
  }
}
