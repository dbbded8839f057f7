package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The threads that handlers run on. */
class HandlerThreadsTest {

  private static final int SIZE = 50;

  enum Kind {
    POOL,
    BURSTS,
    BURSTS_OF_VIRTUAL_THREADS_WHERE_THERE_ARE_SOME
  }

  private AutoCloseable close = () -> {};

  @AfterEach
  void close() throws Exception {
    close.close();
  }

  private Executor threads(Kind kind) {
    if (kind == Kind.POOL) {
      WorkerPool pool = new WorkerPool(SIZE);
      close = pool;
      return pool;
    }
    ThreadFactory plain = task -> new Thread(task, "burst");
    BurstExecutor bursts =
        new BurstExecutor(kind == Kind.BURSTS ? plain : VirtualThreads.factory().orElse(plain));
    close = bursts;
    return bursts;
  }

  @ParameterizedTest
  @EnumSource
  void everyTaskRunsOnceWhoeverBringsIt(Kind kind) throws InterruptedException {
    Executor threads = threads(kind);
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
    Executor threads = threads(kind);
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
    Executor threads = threads(kind);
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
  void tasksSeeTheClassLoaderOfWhoeverStartedTheServer(Kind kind) throws InterruptedException {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    ClassLoader mine = new ClassLoader(before) {};
    Thread.currentThread().setContextClassLoader(mine);
    Executor threads;
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
  void onesThatAreClosedTakeNothingMore(Kind kind) throws Exception {
    Executor threads = threads(kind);
    close.close();

    assertThatThrownBy(() -> threads.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void whereNoThreadCanBeHadATaskIsRefusedAndTheNextOneIsNotHarmed() throws InterruptedException {
    AtomicInteger made = new AtomicInteger();
    BurstExecutor threads =
        new BurstExecutor(
            task -> {
              if (made.getAndIncrement() == 0) {
                throw new OutOfMemoryError("no thread, on purpose");
              }
              return new Thread(task);
            });
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(1);

    assertThatThrownBy(() -> threads.execute(runs::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    threads.execute(done::countDown);

    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(runs).hasValue(0);
  }
}
