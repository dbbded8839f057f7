package io.asynq4j.server;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs attempts, never more at once than the server may. */
final class Workers {

  private static final long KEEP_IDLE_SECONDS = 30;

  private final int concurrency;
  private final Executor executor;
  private final @Nullable ExecutorService own;
  private final AtomicInteger busy = new AtomicInteger();
  private final Signal freed;

  /**
   * @param given the user's executor; null = virtual threads where there are some, else a pool
   * @param freed raised when a worker has become free
   */
  Workers(int concurrency, @Nullable Executor given, Signal freed) {
    this.concurrency = concurrency;
    if (given == null) {
      ExecutorService made = VirtualThreads.executor().orElseGet(() -> pool(concurrency));
      this.own = made;
      this.executor = made;
    } else {
      this.own = null;
      this.executor = given;
    }
    this.freed = freed;
  }

  private static ExecutorService pool(int size) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size,
            size,
            KEEP_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "asynq-worker-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  int free() {
    return concurrency - busy.get();
  }

  int busy() {
    return busy.get();
  }

  /** Runs an attempt on a worker of its own; false when the executor does not take it. */
  boolean start(Attempt attempt) {
    busy.incrementAndGet();
    try {
      executor.execute(
          () -> {
            try {
              attempt.run();
            } finally {
              busy.decrementAndGet();
              freed.raise();
            }
          });
      return true;
    } catch (RejectedExecutionException e) {
      busy.decrementAndGet();
      return false;
    }
  }

  void close() {
    if (own != null) {
      own.shutdown();
    }
  }
}
