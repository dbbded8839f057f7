package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.concurrent.VirtualThreads;
import io.asynq4j.internal.concurrent.WakeupSignal;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts, never more at once than the server may. */
public final class AttemptExecutor {

  private static final Logger log = LoggerFactory.getLogger(AttemptExecutor.class);

  /** So many handlers at once run on platform threads, and the others on virtual ones. */
  private static final int MOST_ON_PLATFORM_THREADS = 64;

  private final int concurrency;
  private final Executor executor;
  private final Runnable shutdown;
  private final Runnable catchUp;
  private final AtomicInteger busy = new AtomicInteger();
  private final WakeupSignal freed;

  /**
   * @param given the user's executor; null = a pool, with virtual threads where there are some
   * @param freed raised when a worker has become free
   */
  public AttemptExecutor(int concurrency, @Nullable Executor given, WakeupSignal freed) {
    this.concurrency = concurrency;
    if (given != null) {
      this.executor = given;
      this.shutdown = () -> {};
      this.catchUp = () -> {};
    } else {
      WorkerPool pool = pool(concurrency);
      this.executor = pool;
      this.shutdown = pool::close;
      this.catchUp = pool::catchUp;
    }
    this.freed = freed;
  }

  private static WorkerPool pool(int concurrency) {
    ThreadFactory virtual =
        concurrency > MOST_ON_PLATFORM_THREADS ? VirtualThreads.factory().orElse(null) : null;
    return new WorkerPool(virtual == null ? concurrency : MOST_ON_PLATFORM_THREADS, virtual);
  }

  public int free() {
    return concurrency - busy.get();
  }

  public int busy() {
    return busy.get();
  }

  /** Runs an attempt on a worker of its own; false when the executor does not take it. */
  public boolean start(Attempt attempt) {
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

  /** Starts attempts that waited for threads. To be called from time to time. */
  public void catchUp() {
    catchUp.run();
  }

  public void close() {
    shutdown.run();
  }
}
