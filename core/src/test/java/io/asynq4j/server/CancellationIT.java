package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.inspect.QueueLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** Handlers that exceed their time, are cancelled, or lose their lease. */
class CancellationIT {

  private static final Duration SECOND = Duration.ofSeconds(1);

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final RecordingServerListener recorder = new RecordingServerListener();
  private final CountDownLatch running = new CountDownLatch(1);
  private final List<CancelReason> reasons = new CopyOnWriteArrayList<>();

  private static Outcome waitForInterrupt() throws InterruptedException {
    new CountDownLatch(1).await();
    return Outcome.done();
  }

  /** Waits for the latch, whatever interrupts it. */
  private static void waitStubbornly(CountDownLatch latch) {
    boolean open = false;
    while (!open) {
      try {
        open = latch.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        // A handler that ignores the interrupt.
      }
    }
  }

  private TaskServer startWith(Handler<Task> handler) {
    return world.start(world.quick(handler).listener(recorder));
  }

  @Test
  void aHandlerThatTakesTooLongIsInterruptedAndTriedAgain() {
    world.enqueue("a", options -> options.timeout(SECOND));
    startWith(
        (task, context) -> {
          try {
            return waitForInterrupt();
          } finally {
            context.cancelled().ifPresent(reasons::add);
          }
        });

    world.awaitState("a", TaskState.RETRY);
    assertThat(reasons).containsExactly(CancelReason.DEADLINE);
    assertThat(world.info("a").lastError()).isEqualTo("context deadline exceeded");
    assertThat(world.info("a").retried()).isEqualTo(1);
  }

  @Test
  void fixesW08_whatAHandlerDecidesWhenAskedToStopCounts() {
    for (String id : List.of("archive", "drop", "done", "thrown")) {
      world.enqueue(id, options -> options.timeout(SECOND).retention(Duration.ofHours(1)));
    }
    startWith(
        (task, context) -> {
          try {
            return waitForInterrupt();
          } catch (InterruptedException e) {
            return switch (context.id()) {
              case "archive" -> Outcome.archive("enough");
              case "drop" -> Outcome.drop();
              case "done" -> Outcome.done();
              default -> throw Outcome.archive("thrown").asException();
            };
          }
        });

    world.awaitState("archive", TaskState.ARCHIVED);
    world.awaitGone("drop");
    world.awaitState("done", TaskState.COMPLETED);
    world.awaitState("thrown", TaskState.ARCHIVED);
    assertThat(world.info("archive").lastError()).isEqualTo("enough");
    assertThat(world.info("thrown").lastError()).isEqualTo("thrown");
  }

  @Test
  void aTimeoutHoldsAlsoWhileRedisDoesNotAnswer() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    world.enqueue("a", options -> options.timeout(SECOND));
    startWith(
        (task, context) -> {
          running.countDown();
          try {
            return waitForInterrupt();
          } finally {
            interrupted.countDown();
          }
        });
    running.await();
    world.server.pause();
    try {
      // Less than a command waits for its answer.
      assertThat(interrupted.await(2_500, TimeUnit.MILLISECONDS)).isTrue();
    } finally {
      world.server.resume();
    }
    world.awaitState("a", TaskState.RETRY);
  }

  @Test
  void aRunningTaskCanBeCancelledFromElsewhere() throws Exception {
    CountDownLatch other = new CountDownLatch(1);
    AtomicInteger actions = new AtomicInteger();
    world.enqueue("a");
    world.enqueue("b");
    startWith(
        (task, context) -> {
          if (context.id().equals("b")) {
            other.await();
            return Outcome.done();
          }
          context.onCancel(
              () -> {
                throw new IllegalStateException("an action that fails");
              });
          context.onCancel(actions::incrementAndGet);
          running.countDown();
          try {
            return waitForInterrupt();
          } finally {
            context.cancelled().ifPresent(reasons::add);
            context.onCancel(actions::incrementAndGet);
          }
        });
    running.await();

    world.broker().cancellations().publish("unknown");
    soon(
        () -> {
          world.broker().cancellations().publish("a");
          assertThat(world.state("a")).isEqualTo(TaskState.RETRY);
        });

    assertThat(world.info("a").lastError()).isEqualTo("context canceled");
    assertThat(world.info("a").retried()).isEqualTo(1);
    assertThat(reasons).containsExactly(CancelReason.REQUESTED);
    assertThat(actions).hasValue(2);
    assertThat(world.state("b")).isEqualTo(TaskState.ACTIVE);
    other.countDown();
    world.awaitGone("b");
  }

  @Test
  void fixesW22_aHandlerThatDoesNotStopKeepsItsWorker() {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    world.enqueue("stuck", options -> options.timeout(SECOND));
    world.enqueueMany("a", 50, options -> options);
    world.start(
        world
            .quick(
                (task, context) -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  try {
                    if (context.id().equals("stuck")) {
                      waitStubbornly(release);
                    }
                    return Outcome.done();
                  } finally {
                    now.decrementAndGet();
                  }
                })
            .concurrency(2)
            .listener(recorder));

    world.awaitState("stuck", TaskState.RETRY);
    soon(() -> assertThat(recorder.lines("stuck")).containsExactly("stuck stuck DEADLINE"));
    world.enqueueMany("b", 50, options -> options);
    soon(() -> assertThat(recorder.lines("settled")).hasSize(101));
    assertThat(most).hasValue(2);
    assertThat(now).hasValue(1);
    release.countDown();
    soon(() -> assertThat(now).hasValue(0));
    // Late, its outcome has no effect.
    assertThat(world.state("stuck")).isEqualTo(TaskState.RETRY);
    assertThat(world.info("stuck").retried()).isEqualTo(1);
  }

  @Test
  void whereRunningTasksAreCountedAStuckHandlerKeepsItsPlace() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("stuck", options -> options.timeout(SECOND));
    world.enqueue("next");
    world.start(
        world
            .quick(
                (task, context) -> {
                  if (context.id().equals("stuck")) {
                    waitStubbornly(release);
                  }
                  return Outcome.done();
                })
            .queue("default", q -> q.maxActive(1))
            .listener(recorder));

    soon(() -> assertThat(recorder.lines()).contains("stuck stuck DEADLINE"));
    // Longer than the lease.
    Thread.sleep(3_500);
    assertThat(world.state("stuck")).isEqualTo(TaskState.ACTIVE);
    assertThat(world.state("next")).isEqualTo(TaskState.PENDING);

    release.countDown();
    world.awaitState("stuck", TaskState.RETRY);
    world.awaitGone("next");
    assertThat(world.info("stuck").lastError()).isEqualTo("context deadline exceeded");
  }

  @Test
  void whereAnOperatorHasSetALimitAStuckHandlerKeepsItsPlaceToo() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("stuck", options -> options.timeout(SECOND));
    world.start(
        world
            .quick(
                (task, context) -> {
                  if (context.id().equals("stuck")) {
                    running.countDown();
                    waitStubbornly(release);
                  }
                  return Outcome.done();
                })
            .listener(recorder));
    running.await();
    // After the claim, and without a notification of the server.
    world
        .queueControl()
        .setLimits(
            ServerFixture.Q,
            new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));
    world.enqueue("next");

    soon(() -> assertThat(recorder.lines()).contains("stuck stuck DEADLINE"));
    // Longer than the lease.
    Thread.sleep(3_500);
    assertThat(world.state("stuck")).isEqualTo(TaskState.ACTIVE);
    assertThat(world.state("next")).isEqualTo(TaskState.PENDING);

    release.countDown();
    world.awaitState("stuck", TaskState.RETRY);
    world.awaitGone("next");
  }

  @Test
  void aWorkerThatLosesItsLeaseIsNotifiedAndHasNoEffect() throws Exception {
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));
    startWith(
        (task, context) -> {
          running.countDown();
          try {
            return waitForInterrupt();
          } catch (InterruptedException e) {
            context.cancelled().ifPresent(reasons::add);
            return Outcome.done("mine");
          }
        });
    running.await();
    try (Jedis jedis = world.jedis()) {
      // As a Go worker would that has taken it over: its lease is a whole number.
      jedis.zadd("asynq:{default}:lease", 4_000_000_000.0, "a");
    }

    soon(() -> assertThat(recorder.lines()).contains("leaseLost a"));
    soon(() -> assertThat(reasons).containsExactly(CancelReason.LEASE_LOST));
    assertThat(world.state("a")).isEqualTo(TaskState.ACTIVE);
    assertThat(world.info("a").result().isPresent()).isFalse();
    assertThat(recorder.lines("settled")).isEmpty();
    assertThat(recorder.lines("leaseLost")).hasSize(1);
  }

  @Test
  void aTaskWhoseLeaseIsGoneIsRunAgainAndOnlyTheSecondRunCounts() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));
    world.start(
        world
            .quick(
                (task, context) -> {
                  int run = runs.incrementAndGet();
                  if (run == 1) {
                    running.countDown();
                    try {
                      return waitForInterrupt();
                    } catch (InterruptedException e) {
                      return Outcome.archive("the first run");
                    }
                  }
                  return Outcome.done();
                })
            .crashes(crashes -> crashes.goGrace(Duration.ZERO)));
    running.await();
    try (Jedis jedis = world.jedis()) {
      jedis.zrem("asynq:{default}:lease", "a");
    }

    world.awaitState("a", TaskState.COMPLETED);
    assertThat(runs).hasValue(2);
    assertThat(world.info("a").lastError()).doesNotContain("first run");
  }

  @Test
  void anInterruptForOneTaskNeverReachesTheNextOnTheSameThread() {
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    ConcurrentLinkedQueue<Boolean> flags = new ConcurrentLinkedQueue<>();
    try {
      world.enqueueMany("slow", 1, options -> options.timeout(SECOND));
      world.enqueueMany("next", 2, options -> options);
      world.start(
          world
              .quick(
                  (task, context) -> {
                    flags.add(Thread.currentThread().isInterrupted());
                    if (context.id().startsWith("slow")) {
                      // Ends with the interrupt flag set: it checks the flag and does not clear it.
                      while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                      }
                    }
                    return Outcome.done();
                  })
              .concurrency(1)
              .executor(oneThread));

      soon(() -> assertThat(flags).hasSize(3));
      assertThat(flags).containsOnly(false);
    } finally {
      oneThread.shutdownNow();
    }
  }

  @Test
  void aHandlerThatWaitsForItsTurnIsNotCalledWhenItsTimeIsUp() {
    AtomicInteger calls = new AtomicInteger();
    ConcurrentLinkedQueue<Runnable> shelved = new ConcurrentLinkedQueue<>();
    world.enqueue("a", options -> options.timeout(SECOND));
    world.start(
        world
            .quick(
                (task, context) -> {
                  calls.incrementAndGet();
                  return Outcome.done();
                })
            .executor(shelved::add));

    world.awaitState("a", TaskState.RETRY);
    shelved.forEach(Runnable::run);
    assertThat(calls).hasValue(0);
    assertThat(world.info("a").lastError()).isEqualTo("context deadline exceeded");
  }

  @Test
  void aResultOfATaskThatIsLostIsRefused() throws Exception {
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    CountDownLatch write = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    world.enqueue("a");
    world.start(
        world
            .quick(
                (task, context) -> {
                  running.countDown();
                  waitStubbornly(write);
                  try {
                    context.writeResult("late");
                  } catch (RuntimeException e) {
                    thrown.add(e);
                  } finally {
                    written.countDown();
                  }
                  return Outcome.done();
                })
            // No heartbeat notices before the handler does, and interrupts it.
            .timing(
                timing -> timing.lease(Duration.ofMinutes(5)).heartbeat(Duration.ofMinutes(1))));
    running.await();
    try (Jedis jedis = world.jedis()) {
      jedis.zadd("asynq:{default}:lease", 4_000_000_000.0, "a");
    }
    write.countDown();
    written.await();

    assertThat(thrown)
        .singleElement()
        .isInstanceOf(IllegalStateException.class)
        .satisfies(e -> assertThat(e).hasMessageContaining("lease"));
  }
}
