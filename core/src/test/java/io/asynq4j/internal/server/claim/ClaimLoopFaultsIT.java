package io.asynq4j.internal.server.claim;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.settle.AttemptReportWriter;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.settle.SettlementContext;
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The claim loop, with an error in each of its steps. */
@SuppressWarnings("NullAway.Init") // Set by each test.
class ClaimLoopFaultsIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  /** Steps in a row that fail. */
  private static final int ERRORS = 2;

  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Handler<Task> handler =
      (task, context) -> {
        runs.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
        return Outcome.done();
      };
  private final AttemptRegistry attempts = new AttemptRegistry();
  private final WakeupSignal signal = new WakeupSignal();
  private final Queue<LinkageError> fatal = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SettlementThreadPools settlerThreads = new SettlementThreadPools(Thread::new);
  private final AtomicInteger failed = new AtomicInteger();

  private Error error = new OutOfMemoryError("Java heap space, on purpose");
  private int firstError;
  private int steps; // Of the processor's thread alone.
  private ServerConfig config;
  private LeaseOperations source;
  private SettlementBuffer settler;
  private AttemptExecutor workers;
  private ClaimLoop processor;
  private Thread thread;

  @AfterEach
  void end() throws InterruptedException {
    processor.stop();
    thread.join();
    threads.shutdown();
    settlerThreads.close();
  }

  /** A step in which the processor leaves its own code. */
  private void step() {
    if (Thread.currentThread() == thread) {
      int step = steps++;
      if (step >= firstError && step < firstError + ERRORS) {
        failed.incrementAndGet();
        throw error;
      }
    }
  }

  /** Calls what it is put before, after a step where that is of this name. */
  private <T> T stepping(Class<T> type, T target, String name) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals(name)) {
                step();
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private StoreWatch storeWatch(String shard) {
    StoreWatch watches = world.broker().watches();
    return (StoreWatch)
        Proxy.newProxyInstance(
            StoreWatch.class.getClassLoader(),
            new Class<?>[] {StoreWatch.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("shardOf")) {
                return shard;
              }
              Object answer = method.invoke(watches, arguments);
              return answer instanceof StoreWatch.Watch watch
                  ? stepping(StoreWatch.Watch.class, watch, "arm")
                  : answer;
            });
  }

  /** Settles, and takes attempts off the list. */
  private final class Sink extends AttemptHosts.IgnoringSink {
    @Override
    public void settle(Attempt attempt, AppliedOutcome applied) {
      settler.add(attempt, applied);
    }

    @Override
    public void returned(Attempt attempt) {
      attempts.returned(attempt);
    }
  }

  /** A clock of which each reading is a step. */
  private final class SteppingClock extends Clock {
    @Override
    public Instant instant() {
      step();
      return world.broker().clock().instant();
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  /**
   * @param shard empty where one server of Redis has all queues
   */
  private void start(String shard) {
    config = TaskServerAccess.config(world.quick(handler));
    source = stepping(LeaseOperations.class, world.broker().leases(), "claim");
    ShardTopology shards =
        new ShardTopology(
            storeWatch(shard),
            new OutageTracker(AttemptHosts.NO_LISTENERS, world.broker().clock()),
            task -> {
              step();
              threads.execute(task);
            });
    settler =
        new SettlementBuffer(
            new SettlementContext(
                config,
                source,
                attempts,
                shards,
                settlerThreads,
                new AttemptReportWriter(source, shards),
                queue -> signal.raise(),
                fatal::add));
    workers =
        new AttemptExecutor(
            config.concurrency(),
            task -> {
              step();
              threads.execute(task);
            },
            signal);
    ServedQueues queues = new ServedQueues(config);
    processor =
        new ClaimLoop(
            AttemptHosts.of(config, handler, source, new SteppingClock(), new Sink()),
            queues,
            workers,
            settler,
            attempts,
            shards,
            signal,
            new QueueReadiness(
                config,
                queues,
                world.redis.clock(),
                signal,
                new SharedQueueWatch(storeWatch(shard)),
                new StrideScheduler(config.strictPriority()) {
                  @Override
                  void enter(QueueClaimState queue) {
                    step();
                    super.enter(queue);
                  }
                }),
            () -> {},
            fatal::add);
    thread = new Thread(ThreadSupervisor.untilReturned(processor), "processor-shortage-test");
    thread.start();
  }

  /** Looking, entering, claiming, the lease, and for each of three tasks attempt and worker. */
  @ParameterizedTest(name = "from step {0}, server {1}")
  @CsvSource({
    "0,''", "1,''", "2,''", "3,''", "4,''", "5,''", "6,''", "7,''", "8,''", "9,''", "10,''", "0,s",
    "1,s", "2,s", "3,s", "4,s", "5,s", "6,s", "7,s", "8,s", "9,s", "10,s", "11,s"
  })
  void noTaskAndNoQueueIsLostWhereverMemoryRunsOut(int first, String shard) {
    firstError = first;
    world.enqueueMany("a", 3, options -> options);

    start(shard);

    await().until(() -> failed.get() == ERRORS);
    soon(() -> assertThat(runs).containsOnlyKeys("a0", "a1", "a2"));
    world.enqueue("later");
    soon(() -> assertThat(runs).containsKey("later"));
    soon(() -> assertThat(world.ids(Q, TaskState.ACTIVE)).isEmpty());
    soon(() -> assertThat(attempts.isEmpty() && settler.waiting() == 0).isTrue());
    soon(() -> assertThat(workers.busy()).isZero());
    assertThat(runs.values()).allSatisfy(count -> assertThat(count).hasValue(1));
    assertThat(fatal).isEmpty();
  }

  @Test
  void aLibraryThatDoesNotFitIsReportedAsFatal() {
    error = new NoSuchMethodError("of another version, on purpose");

    start("");

    soon(() -> assertThat(fatal).contains((LinkageError) error));
  }
}
