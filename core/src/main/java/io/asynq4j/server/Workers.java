package io.asynq4j.server;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts, never more at once than the server may. */
final class Workers {

  private static final Logger log = LoggerFactory.getLogger(Workers.class);

  /**
   * So many handlers run on a pool of platform threads, on every JVM: it is quicker than virtual
   * ones, since its threads stay awake for a moment and are reused. With more of them that makes no
   * difference, and their memory does.
   */
  static final int MOST_ON_PLATFORM_THREADS = 64;

  private final int concurrency;
  private final Executor executor;
  private final Runnable shutdown;
  private final AtomicInteger busy = new AtomicInteger();
  private final Signal freed;

  /**
   * @param given the user's executor; null = a pool, or virtual threads for many where there are
   *     some
   * @param freed raised when a worker has become free
   */
  Workers(int concurrency, @Nullable Executor given, Signal freed) {
    this.concurrency = concurrency;
    Optional<ThreadFactory> virtual =
        concurrency > MOST_ON_PLATFORM_THREADS ? VirtualThreads.factory() : Optional.empty();
    if (given != null) {
      this.executor = given;
      this.shutdown = () -> {};
    } else if (virtual.isPresent()) {
      BurstExecutor burst = new BurstExecutor(virtual.get());
      this.executor = burst;
      this.shutdown = burst::close;
    } else {
      WorkerPool pool = new WorkerPool(concurrency);
      this.executor = pool;
      this.shutdown = pool::close;
    }
    this.freed = freed;
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
    } catch (RuntimeException | Error e) {
      // Not only a rejection: where no thread can be had, that is an error.
      busy.decrementAndGet();
      log.warn(
          "the executor does not take task {} of queue {}; it goes back",
          attempt.id(),
          attempt.queue(),
          e);
      return false;
    }
  }

  void close() {
    shutdown.run();
  }
}
