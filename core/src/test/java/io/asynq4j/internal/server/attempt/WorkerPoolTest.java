package io.asynq4j.internal.server.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.internal.concurrent.VirtualThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The threads that handlers run on. */
class WorkerPoolTest {

  private static final int SIZE = 50;

  enum Kind {
    OWN_THREADS,
    OWN_THREADS_AND_HELPERS,
    OWN_THREADS_AND_VIRTUAL_HELPERS_WHERE_THERE_ARE_SOME
  }

  private final List<WorkerPool> pools = new ArrayList<>();

  @AfterEach
  void close() {
    pools.forEach(WorkerPool::close);
  }

  private WorkerPool threads(Kind kind) {
    ThreadFactory plain = task -> new Thread(task, "helper");
    return switch (kind) {
      case OWN_THREADS -> pool(SIZE, null);
      case OWN_THREADS_AND_HELPERS -> pool(3, plain);
      case OWN_THREADS_AND_VIRTUAL_HELPERS_WHERE_THERE_ARE_SOME ->
          pool(3, VirtualThreads.factory().orElse(plain));
    };
  }

  private WorkerPool pool(int size, @Nullable ThreadFactory helpers) {
    WorkerPool pool = new WorkerPool(size, helpers, WorkerPool.KEEP_IDLE);
    pools.add(pool);
    return pool;
  }

  @ParameterizedTest
  @EnumSource
  void everyTaskRunsOnceWhicheverClientEnqueuedIt(Kind kind) throws InterruptedException {
    WorkerPool threads = threads(kind);
    int tasks = 20_000;
    int bringers = 4;
    List<AtomicInteger> runs =
        IntStream.range(0, tasks).mapToObj(i -> new AtomicInteger()).toList();
    CountDownLatch all = new CountDownLatch(tasks);

    for (int bringer = 0; bringer < bringers; bringer++) {
      int first = bringer;
      new Thread(
              () -> {
                for (int i = first; i < tasks; i += bringers) {
                  AtomicInteger run = runs.get(i);
                  threads.execute(
                      () -> {
                        run.incrementAndGet();
                        all.countDown();
                      });
                }
              })
          .start();
    }

    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(runs).allSatisfy(run -> assertThat(run).hasValue(1));
  }

  @ParameterizedTest
  @EnumSource
  void noTaskWaitsForAnotherToEnd(Kind kind) throws InterruptedException {
    WorkerPool threads = threads(kind);
    CyclicBarrier allAtOnce = new CyclicBarrier(SIZE);
    CountDownLatch met = new CountDownLatch(SIZE);

    for (int i = 0; i < SIZE; i++) {
      threads.execute(
          () -> {
            try {
              allAtOnce.await(20, TimeUnit.SECONDS);
              met.countDown();
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
              throw new IllegalStateException(e);
            }
          });
    }

    assertThat(met.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aTaskThatFailsStopsNoOther(Kind kind) throws InterruptedException {
    WorkerPool threads = threads(kind);
    CountDownLatch rest = new CountDownLatch(99);

    for (int i = 0; i < 100; i++) {
      boolean fails = i == 50;
      threads.execute(
          () -> {
            if (fails) {
              throw new IllegalStateException("on purpose");
            }
            rest.countDown();
          });
    }

    assertThat(rest.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void tasksSeeTheClassLoaderOfTheThreadThatStartedTheServer(Kind kind)
      throws InterruptedException {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    ClassLoader mine = new ClassLoader(before) {};
    Thread.currentThread().setContextClassLoader(mine);
    WorkerPool threads;
    try {
      threads = threads(kind);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    Set<ClassLoader> seen = ConcurrentHashMap.newKeySet();
    CountDownLatch done = new CountDownLatch(SIZE);

    for (int i = 0; i < SIZE; i++) {
      threads.execute(
          () -> {
            seen.add(Thread.currentThread().getContextClassLoader());
            done.countDown();
          });
    }

    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(seen).containsExactly(mine);
  }

  @ParameterizedTest
  @EnumSource
  void onesThatAreClosedTakeNothingMore(Kind kind) {
    WorkerPool threads = threads(kind);
    threads.close();

    assertThatThrownBy(() -> threads.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void helpersComeOnlyWhenAllOthersAreBusyAndEndWhenNothingWaits() throws InterruptedException {
    List<Thread> helpers = Collections.synchronizedList(new ArrayList<>());
    WorkerPool threads =
        pool(
            2,
            task -> {
              Thread helper = new Thread(task, "helper");
              helpers.add(helper);
              return helper;
            });
    CountDownLatch begun = new CountDownLatch(5);
    CountDownLatch end = new CountDownLatch(1);

    for (int i = 0; i < 5; i++) {
      threads.execute(
          () -> {
            begun.countDown();
            try {
              end.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }

    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(helpers).hasSize(3);
    end.countDown();
    for (Thread helper : helpers) {
      helper.join(20_000);
      assertThat(helper.isAlive()).isFalse();
    }
  }

  /** Each task comes about when the only thread has been idle for long enough to end. */
  @Test
  void aTaskThatComesWhileAThreadEndsIsRun() throws Exception {
    int bringers = 8;
    Duration keepIdle = Duration.ofMillis(1);
    ExecutorService all = Executors.newFixedThreadPool(bringers);
    try {
      List<Future<?>> results = new ArrayList<>();
      for (int b = 0; b < bringers; b++) {
        WorkerPool threads = new WorkerPool(1, null, keepIdle);
        pools.add(threads);
        Random random = new Random(b);
        results.add(
            all.submit(
                () -> {
                  for (int i = 0; i < 500; i++) {
                    CountDownLatch done = new CountDownLatch(1);
                    threads.execute(done::countDown);
                    assertThat(done.await(20, TimeUnit.SECONDS)).as("task %d", i).isTrue();
                    LockSupport.parkNanos(keepIdle.toNanos() + random.nextLong(200_000));
                  }
                  return null;
                }));
      }
      for (Future<?> result : results) {
        result.get(2, TimeUnit.MINUTES);
      }
    } finally {
      all.shutdownNow();
    }
  }

  @Test
  void whatIsRefusedForWantOfAThreadIsNotRunLater() throws InterruptedException {
    AtomicBoolean shortage = new AtomicBoolean(true);
    WorkerPool threads =
        new WorkerPool(1, null, Duration.ofSeconds(30)) {
          @Override
          void start(Thread worker) {
            if (shortage.get()) {
              throw new OutOfMemoryError("no thread, on purpose");
            }
            super.start(worker);
          }
        };
    pools.add(threads);
    AtomicInteger refusedRuns = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1);

    assertThatThrownBy(() -> threads.execute(refusedRuns::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    shortage.set(false);
    threads.execute(done::countDown);

    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(refusedRuns).hasValue(0);
  }

  @Test
  void withoutANewThreadATaskWaitsForTheFirstFreeOne() throws InterruptedException {
    WorkerPool threads =
        pool(
            1,
            task -> {
              throw new OutOfMemoryError("no thread, on purpose");
            });
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(2);

    for (int i = 0; i < 2; i++) {
      threads.execute(
          () -> {
            try {
              end.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            done.countDown();
          });
    }
    end.countDown();

    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** A pool that can start no thread of its own from the second on, as long as a shortage lasts. */
  private WorkerPool scarce(@Nullable ThreadFactory helpers, AtomicBoolean shortage) {
    WorkerPool pool =
        new WorkerPool(2, helpers, Duration.ofSeconds(30)) {
          @Override
          void start(Thread worker) {
            if (shortage.get()) {
              throw new OutOfMemoryError("no thread, on purpose");
            }
            super.start(worker);
          }
        };
    pools.add(pool);
    return pool;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whereNoThreadOfItsOwnCanBeHadAHelperComes() throws InterruptedException {
    AtomicBoolean shortage = new AtomicBoolean();
    WorkerPool threads = scarce(task -> new Thread(task, "helper"), shortage);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    threads.execute(() -> awaitQuietly(end));

    shortage.set(true);
    threads.execute(done::countDown);

    assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
    end.countDown();
  }

  @Test
  void aTaskThatNoThreadCouldBeHadForIsRunWhenThereIsOneAgain() throws InterruptedException {
    AtomicBoolean shortage = new AtomicBoolean();
    WorkerPool threads = scarce(null, shortage);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    threads.execute(() -> awaitQuietly(end));

    shortage.set(true);
    threads.execute(done::countDown);
    threads.wakeAnother();
    assertThat(done.getCount()).isEqualTo(1);
    shortage.set(false);
    threads.wakeAnother();

    assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
    end.countDown();
  }
}
