package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.fixture.FailingLogs;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.inspect.QueueLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Start and shutdown of a server. */
class LifecycleIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final RecordingServerListener recorder = new RecordingServerListener();

  /** Threads of servers: all but those of the connection, which outlives them. */
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("asynq-") && !name.startsWith("asynq-tracking"))
        .sorted()
        .toList();
  }

  @AfterEach
  void noThreadIsLeft() {
    world.stopServers();
    soon(() -> assertThat(threads()).isEmpty());
  }

  @Test
  void aServerLeavesNoThreadBehind() {
    TaskServer server = world.start(world.quick((task, context) -> Outcome.done()));
    world.enqueue("now");
    world.enqueue("later", options -> options.processIn(Duration.ofHours(1)));
    world.awaitGone("now");
    assertThat(threads()).isNotEmpty();

    server.stop();

    soon(() -> assertThat(threads()).isEmpty());
    assertThat(world.state("later")).isEqualTo(TaskState.SCHEDULED);
    // The connection belongs to the caller, and still works.
    world.redis.ping();
  }

  @Test
  void aServerCanBeStartedOnce() {
    TaskServer server = world.quick((task, context) -> Outcome.done()).build();
    assertThat(server.state()).isEqualTo(ServerState.NEW);
    server.quiet();
    server.stop();
    assertThat(server.state()).isEqualTo(ServerState.NEW);
    server.start();
    assertThat(server.state()).isEqualTo(ServerState.ACTIVE);
    assertThatThrownBy(server::start).hasMessageContaining("runs already");
    server.quiet();
    assertThat(server.state()).isEqualTo(ServerState.QUIET);
    assertThatThrownBy(server::start).hasMessageContaining("runs already");
    server.close();
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
    server.close();
    server.quiet();
    assertThat(server.state()).isEqualTo(ServerState.CLOSED);
    assertThatThrownBy(server::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("build a new one");
  }

  @Test
  void aServerWithoutHandlersIsNotBuilt() {
    assertThatThrownBy(() -> TaskServer.builder(world.redis).build())
        .hasMessageContaining("handlers");
  }

  @Test
  void fixesW29_settingsThatMakeNoSenseAreRefused() {
    TaskServerBuilder builder = world.quick((task, context) -> Outcome.done());
    assertThatThrownBy(() -> builder.concurrency(0).build()).hasMessageContaining("concurrency");
    builder.concurrency(1);
    assertThatThrownBy(
            () -> builder.timing(timing -> timing.pollInterval(Duration.ofSeconds(-1))).build())
        .hasMessageContaining("pollInterval");
    builder.timing(timing -> timing.pollInterval(Duration.ofSeconds(1)));
    assertThatThrownBy(
            () -> builder.timing(timing -> timing.heartbeat(Duration.ofMinutes(1))).build())
        .hasMessageContaining("heartbeat");
    builder.timing(timing -> timing.heartbeat(Duration.ofSeconds(1)));
    assertThatThrownBy(() -> builder.queue("q", 0).build()).hasMessageContaining("weight");
    assertThatThrownBy(() -> builder.queue("", 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aQuietServerFinishesWhatItHasAndDoesItsDuties() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    TaskServer server =
        world.start(
            world.quick(
                (task, context) -> {
                  release.await();
                  return Outcome.done();
                }));
    world.enqueue("running");
    soon(() -> assertThat(server.running()).isEqualTo(1));
    server.quiet();
    world.enqueue("waiting");
    world.enqueue("due", options -> options.processIn(Duration.ofSeconds(1)));
    release.countDown();

    world.awaitGone("running");
    world.awaitState("due", TaskState.PENDING);
    assertThat(world.state("waiting")).isEqualTo(TaskState.PENDING);
    assertThat(server.running()).isZero();
  }

  @Test
  void aStopWaitsForWhatRuns() throws Exception {
    CountDownLatch running = new CountDownLatch(4);
    world.enqueueMany("a", 4, options -> options.retention(Duration.ofHours(1)));
    TaskServer server =
        world.start(
            world.quick(
                (task, context) -> {
                  running.countDown();
                  // A task that takes less time than the shutdown timeout.
                  Thread.sleep(300);
                  return Outcome.done();
                }));
    running.await();

    server.stop();

    assertThat(world.count(TaskState.COMPLETED)).isEqualTo(4);
    assertThat(world.count(TaskState.ACTIVE)).isZero();
  }

  @Test
  void whatDoesNotEndInTimeGoesBackToTheHeadInItsOldOrder() throws Exception {
    int count = 120;
    CountDownLatch running = new CountDownLatch(2 * count);
    List<CancelReason> reasons = new CopyOnWriteArrayList<>();
    for (String queue : List.of("default", "other")) {
      world.enqueueMany(queue, count + 30, options -> options.queue(queue).maxRetry(5));
    }
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      running.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } finally {
                        context.cancelled().ifPresent(reasons::add);
                      }
                      return Outcome.done();
                    })
                .queue("default", 1)
                .queue("other", 1)
                .concurrency(2 * count)
                .shutdownTimeout(Duration.ofMillis(200))
                .listener(recorder));
    running.await();

    server.stop();

    for (String name : List.of("default", "other")) {
      QueueName queue = QueueName.of(name);
      assertThat(world.ids(queue, TaskState.PENDING))
          .isEqualTo(IntStream.range(0, count + 30).mapToObj(i -> name + i).toList());
      assertThat(world.count(queue, TaskState.ACTIVE)).isZero();
      TaskInfo first = world.tasks().task(queue, name + 0);
      assertThat(first.retried()).isZero();
      assertThat(first.lastError()).isEmpty();
    }
    soon(() -> assertThat(reasons).hasSize(2 * count).containsOnly(CancelReason.SHUTDOWN));
    assertThat(recorder.lines("finished")).hasSize(2 * count).allMatch(l -> l.endsWith("REQUEUE"));
    assertThat(recorder.lines("settled")).hasSize(2 * count);
  }

  @Test
  void anEndThatComesTogetherWithTheStopIsSettledOnce() throws InterruptedException {
    // Handlers end at the moment when the shutdown timeout ends.
    Map<String, AtomicInteger> done = new ConcurrentHashMap<>();
    for (int round = 0; round < 5; round++) {
      // A slow machine may process all tasks of a round before the stop.
      world.enqueueMany("a" + round, 100, options -> options.retention(Duration.ofHours(1)));
      Random random = new Random(round);
      CountDownLatch begun = new CountDownLatch(1);
      TaskServer server =
          world.start(
              world
                  .quick(
                      (task, context) -> {
                        begun.countDown();
                        // Around the end of the shutdown timeout.
                        Thread.sleep(40 + random.nextInt(20));
                        done.computeIfAbsent(context.id(), any -> new AtomicInteger())
                            .incrementAndGet();
                        return Outcome.done();
                      })
                  .concurrency(20)
                  .shutdownTimeout(Duration.ofMillis(50)));
      begun.await();
      server.stop();
      assertThat(world.count(TaskState.ACTIVE)).isZero();
      assertThat(world.count(TaskState.PENDING) + world.count(TaskState.COMPLETED))
          .isEqualTo(100L * (round + 1));
    }
    assertThat(world.queues().snapshot(ServerFixture.Q).processed())
        .isEqualTo(world.count(TaskState.COMPLETED));
    assertThat(done.size()).isGreaterThanOrEqualTo((int) world.count(TaskState.COMPLETED));
  }

  /** Waits like a handler that ignores interrupts. */
  private static void waitStubbornly(CountDownLatch latch) {
    boolean done = false;
    while (!done) {
      try {
        latch.await();
        done = true;
      } catch (InterruptedException e) {
        // On purpose.
      }
    }
  }

  @Test
  void aStopWaitsForAHandlerWhoseTaskWasSettledWithoutIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicBoolean returned = new AtomicBoolean();
    world.enqueue("stuck", options -> options.timeout(Duration.ofSeconds(1)));
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      waitStubbornly(release);
                      returned.set(true);
                      return Outcome.done();
                    })
                .shutdownTimeout(Duration.ofMinutes(1)));
    world.awaitState("stuck", TaskState.RETRY);

    CompletableFuture<Boolean> stopped =
        CompletableFuture.supplyAsync(
            () -> {
              server.stop();
              return returned.get();
            });
    soon(() -> assertThat(server.state()).isEqualTo(ServerState.STOPPING));
    // Time for a stop that would not wait; one that does has nothing else to show for it.
    Thread.sleep(500);
    release.countDown();

    assertThat(stopped.get(50, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void handlersThatOutliveTheirServerAreLoggedWithTheirStack() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("late", options -> options.timeout(Duration.ofSeconds(1)));
    world.enqueue("stubborn");
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      running.countDown();
                      waitStubbornly(release);
                      return Outcome.done();
                    })
                .shutdownTimeout(Duration.ofMillis(100)));
    running.await();
    world.awaitState("late", TaskState.RETRY);

    try (CapturedLogs logs = new CapturedLogs()) {
      server.stop();
      assertThat(logs.linesWith("still runs on thread asynq-worker-"))
          .hasSize(2)
          .anyMatch(line -> line.contains("task late (t, queue default)"))
          .anyMatch(line -> line.contains("task stubborn (t, queue default)"));
      assertThat(logs.linesWith("LifecycleIT.waitStubbornly")).hasSize(2);
    } finally {
      release.countDown();
    }
    assertThat(world.state("stubborn")).isEqualTo(TaskState.PENDING);
  }

  @Test
  void unfinishedTasksAreRequeuedOnceAlthoughTheLogFails() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("a");
    world.enqueue("b", options -> options.queue("other"));
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      running.countDown();
                      waitStubbornly(release);
                      return Outcome.done();
                    })
                .queue("default", 1)
                .queue("other", 1)
                .listener(recorder)
                .shutdownTimeout(Duration.ofMillis(100)));
    running.await();

    try (FailingLogs logs = new FailingLogs("return to the head of queue")) {
      server.stop();
      assertThat(logs.count()).isEqualTo(2);
    } finally {
      release.countDown();
    }
    assertThat(world.state("a")).isEqualTo(TaskState.PENDING);
    assertThat(world.find(QueueName.of("other"), "b").orElseThrow().state())
        .isEqualTo(TaskState.PENDING);
    assertThat(recorder.lines("leaseLost")).isEmpty();
  }

  @Test
  void whereAQueueHasLimitsATaskGoesBackOnlyWhenItsHandlerHasCleanedUp() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch cleaningUp = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("a");
    world
        .queueControl()
        .setLimits(
            ServerFixture.Q,
            new QueueLimits(OptionalInt.of(1), Optional.empty(), Optional.empty()));
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      running.countDown();
                      try {
                        return awaitInterrupt();
                      } finally {
                        cleaningUp.countDown();
                        waitStubbornly(release);
                      }
                    })
                .shutdownTimeout(Duration.ZERO));
    running.await();
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::stop);
    cleaningUp.await();
    // Time for a stop that would give it back meanwhile.
    Thread.sleep(500);
    TaskState meanwhile = world.state("a");
    release.countDown();
    stopped.get(20, TimeUnit.SECONDS);

    assertThat(meanwhile).isEqualTo(TaskState.ACTIVE);
    assertThat(world.state("a")).isEqualTo(TaskState.PENDING);
    assertThat(world.info("a").retried()).isZero();
  }

  @Test
  void whereAQueueHasLimitsATaskWhoseHandlerDoesNotReturnKeepsItsLease() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    world.enqueue("a");
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      running.countDown();
                      waitStubbornly(release);
                      return Outcome.done();
                    })
                .queue("default", q -> q.ordered())
                .shutdownTimeout(Duration.ZERO));
    running.await();
    try {
      server.stop();
      assertThat(world.state("a")).isEqualTo(TaskState.ACTIVE);
    } finally {
      release.countDown();
    }
  }

  private static Outcome awaitInterrupt() throws InterruptedException {
    new CountDownLatch(1).await();
    return Outcome.done();
  }

  @Test
  void aHandlerMayStopItsOwnServer() throws Exception {
    CompletableFuture<TaskServer> self = new CompletableFuture<>();
    world.enqueue("a", options -> options.maxRetry(3));
    TaskServer server =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      self.get().stop();
                      return Outcome.done();
                    })
                .shutdownTimeout(Duration.ofMillis(100)));
    self.complete(server);

    assertThat(server.awaitStop(Duration.ofSeconds(20))).isTrue();
    assertThat(world.state("a")).isEqualTo(TaskState.PENDING);
  }

  @Test
  void aListenerMayStopItsServerOnAnyThread() throws Exception {
    for (String event : List.of("claimed", "finished")) {
      CompletableFuture<TaskServer> self = new CompletableFuture<>();
      ServerListener stopper =
          new ServerListener() {
            @Override
            public void claimed(QueueName queue, int count) {
              stopAt("claimed");
            }

            @Override
            public void finished(
                TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {
              stopAt("finished");
            }

            private void stopAt(String name) {
              if (name.equals(event)) {
                self.join().stop();
              }
            }
          };
      TaskServer server =
          world.start(
              world
                  .quick((task, context) -> Outcome.done())
                  .shutdownTimeout(Duration.ofMillis(100))
                  .listener(stopper));
      self.complete(server);
      world.enqueue(event);
      assertThat(server.awaitStop(Duration.ofSeconds(30))).as(event).isTrue();
      soon(() -> assertThat(world.count(TaskState.ACTIVE)).as(event).isZero());
    }
  }

  @Test
  void aStopWaitsForAnOutcomeThatIsBeingReportedToListeners() throws Exception {
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));
    CountDownLatch notified = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    ServerListener slow =
        new ServerListener() {
          @Override
          public void finished(
              TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {
            notified.countDown();
            awaitUninterruptibly(mayGoOn);
          }
        };
    TaskServer server = world.start(world.quick((task, context) -> Outcome.done()).listener(slow));
    notified.await();
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::stop);
    soon(() -> assertThat(server.state()).isNotEqualTo(ServerState.ACTIVE));
    // Time for a stop that would not wait; one that does has nothing else to show for it.
    Thread.sleep(500);
    mayGoOn.countDown();
    stopped.get(20, TimeUnit.SECONDS);

    assertThat(world.state("a")).isEqualTo(TaskState.COMPLETED);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void anInterruptedThreadStopsAServerInOrder() throws Exception {
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));
    CountDownLatch running = new CountDownLatch(1);
    TaskServer server =
        world.start(
            world.quick(
                (task, context) -> {
                  running.countDown();
                  // A task that takes less time than the shutdown timeout.
                  Thread.sleep(300);
                  return Outcome.done();
                }));
    running.await();
    CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
    Thread stopper =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              server.stop();
              stillInterrupted.complete(Thread.currentThread().isInterrupted());
            });
    stopper.start();

    assertThat(stillInterrupted.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(world.state("a")).isEqualTo(TaskState.COMPLETED);
    assertThat(world.broker().presence().seen(broken -> {})).isEmpty();
  }

  @Test
  void fixesW28_anyThreadMayCallAnythingAtAnyTime() throws Exception {
    int callers = 10;
    int servers = Boolean.getBoolean("asynq4j.full") ? 200 : 80;
    world.enqueueMany("a", 2_000, options -> options);
    AtomicInteger handled = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(callers);
    try {
      List<Future<?>> calls = new ArrayList<>();
      CyclicBarrier barrier = new CyclicBarrier(callers);
      TaskServer[] current = new TaskServer[1];
      for (int c = 0; c < callers; c++) {
        Random random = new Random(c);
        boolean builds = c == 0;
        calls.add(
            pool.submit(
                () -> {
                  for (int s = 0; s < servers; s++) {
                    if (builds) {
                      current[0] =
                          world
                              .quick(
                                  (task, context) -> {
                                    handled.incrementAndGet();
                                    return Outcome.done();
                                  })
                              .concurrency(2)
                              .build();
                    }
                    barrier.await();
                    TaskServer server = current[0];
                    for (int i = 0; i < 4; i++) {
                      callAny(server, random.nextInt(builds ? 3 : 6));
                    }
                    barrier.await();
                    if (builds) {
                      server.stop();
                      assertThat(server.state()).isIn(ServerState.NEW, ServerState.CLOSED);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> call : calls) {
        call.get(2, TimeUnit.MINUTES);
      }
    } finally {
      pool.shutdownNow();
    }
    soon(() -> assertThat(world.count(TaskState.ACTIVE)).isZero());
    assertThat(world.count(TaskState.PENDING) + handled.get()).isEqualTo(2_000);
  }

  private static void callAny(TaskServer server, int what) throws InterruptedException {
    switch (what) {
      case 0, 1 -> {
        try {
          server.start();
        } catch (IllegalStateException e) {
          assertThat(e).hasMessageContaining("the server");
        }
      }
      case 2 -> assertThat(server.queues()).isNotEmpty();
      case 3 -> server.quiet();
      case 4 -> server.stop();
      default -> server.close();
    }
  }

  @Test
  void retriesGoOnInAnotherServer() {
    AtomicInteger runs = new AtomicInteger();
    world.enqueue("a", options -> options.retention(Duration.ofHours(1)));
    TaskServer first =
        world.start(
            world
                .quick(
                    (task, context) -> {
                      runs.incrementAndGet();
                      throw new IllegalStateException("fails here");
                    })
                .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))));
    world.awaitState("a", TaskState.RETRY);
    first.stop();
    world.start(world.quick((task, context) -> Outcome.done()));

    world.awaitState("a", TaskState.COMPLETED);
    assertThat(runs).hasValue(1);
  }
}
