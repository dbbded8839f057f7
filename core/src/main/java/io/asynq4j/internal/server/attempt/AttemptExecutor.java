package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.concurrent.VirtualThreads;
import io.asynq4j.internal.concurrent.WakeupSignal;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts, up to the concurrency of the server. Thread-safe. */
public final class AttemptExecutor {

  private static final Logger log = LoggerFactory.getLogger(AttemptExecutor.class);

  /** Maximum number of platform threads; further handlers run on virtual threads. */
  private static final int MOST_PLATFORM_THREADS = 64;

  private final int concurrency;
  private final Executor executor;
  private final AtomicInteger busy = new AtomicInteger();
  private final WakeupSignal freed;

  /**
   * @param given the executor of the user; null for a pool
   * @param freed raised when a worker has become free
   */
  public AttemptExecutor(int concurrency, @Nullable Executor given, WakeupSignal freed) {
    this.concurrency = concurrency;
    this.executor = given == null ? newPool(concurrency) : given;
    this.freed = freed;
  }

  private static WorkerPool newPool(int concurrency) {
    ThreadFactory virtual =
        concurrency > MOST_PLATFORM_THREADS ? VirtualThreads.factory().orElse(null) : null;
    return new WorkerPool(
        virtual == null ? concurrency : MOST_PLATFORM_THREADS, virtual, WorkerPool.KEEP_IDLE);
  }

  public int free() {
    return concurrency - busy.get();
  }

  public int busy() {
    return busy.get();
  }

  /** Runs an attempt on a worker. Returns false if the executor rejects it. */
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
      // Not only rejections: a lack of threads is an error.
      busy.decrementAndGet();
      log.warn(
          "the executor rejected task {} of queue {}; it is requeued",
          attempt.id(),
          attempt.queue(),
          e);
      return false;
    }
  }

  /** Starts attempts that wait for threads. To be called periodically. */
  public void catchUp() {
    if (executor instanceof WorkerPool pool) {
      pool.wakeAnother();
    }
  }

  public void close() {
    if (executor instanceof WorkerPool pool) {
      pool.close();
    }
  }
}
