package io.asynq4j.server;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts, never more at once than the server may. */
final class Workers {

  private static final Logger log = LoggerFactory.getLogger(Workers.class);

  private final int concurrency;
  private final Executor executor;
  private final Runnable shutdown;
  private final AtomicInteger busy = new AtomicInteger();
  private final Signal freed;

  /**
   * @param given the user's executor; null = virtual threads where there are some, else a pool
   * @param freed raised when a worker has become free
   */
  Workers(int concurrency, @Nullable Executor given, Signal freed) {
    this.concurrency = concurrency;
    Optional<ExecutorService> virtual =
        given == null ? VirtualThreads.executor() : Optional.empty();
    if (given != null) {
      this.executor = given;
      this.shutdown = () -> {};
    } else if (virtual.isPresent()) {
      this.executor = virtual.get();
      this.shutdown = virtual.get()::shutdown;
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
