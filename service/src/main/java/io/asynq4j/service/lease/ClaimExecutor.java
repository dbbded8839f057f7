package io.asynq4j.service.lease;

import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.LeasedTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads on which tasks are claimed, and requeued when no worker gets them. Thread-safe. */
final class ClaimExecutor implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ClaimExecutor.class);

  private static final String REPLY_NOT_HANDLED =
      SafeLog.text("a late reply of Redis could not be handled");

  private static final long IDLE_SECONDS = 10;

  private final TimeLimitedClaimer.Source source;
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          DaemonThreadPools.factory("asynq-claim"));

  ClaimExecutor(TimeLimitedClaimer.Source source) {
    SafeLog.prepare();
    this.source = source;
  }

  TimeLimitedClaimer.Source source() {
    return source;
  }

  /**
   * Runs an action on a thread of its own.
   *
   * @throws RuntimeException when closed
   * @throws Error when no thread can be started
   */
  void execute(Runnable action) {
    threads.execute(action);
  }

  /** Runs an action on another thread, or on this one where none can be started. */
  void after(long nanos, Runnable action) {
    Runnable guarded =
        () -> {
          try {
            action.run();
          } catch (RuntimeException | Error e) {
            SafeLog.error(log, REPLY_NOT_HANDLED, e);
          }
        };
    try {
      if (nanos > 0) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, this::executeSomewhere)
            .execute(guarded);
      } else {
        executeSomewhere(guarded);
      }
    } catch (RuntimeException | Error e) {
      guarded.run();
    }
  }

  private void executeSomewhere(Runnable action) {
    try {
      threads.execute(action);
    } catch (RuntimeException | Error e) {
      action.run();
    }
  }

  void requeueLater(String queue, List<LeasedTask> tasks) {
    after(0, () -> requeue(queue, tasks));
  }

  void requeue(String queue, List<LeasedTask> tasks) {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      source.requeue(tasks);
    } catch (RuntimeException e) {
      log.warn(
          "{} tasks of queue {} were claimed too late and wait for the end of their lease",
          tasks.size(),
          queue,
          e);
    }
  }

  /** Accepts no more claims; later actions run on the thread of their caller. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
