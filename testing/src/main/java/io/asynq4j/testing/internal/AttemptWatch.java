package io.asynq4j.testing.internal;

import io.asynq4j.internal.server.attempt.Attempt;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Cancels a handler at its deadline, as a server does. */
final class AttemptWatch {

  private static final long CHECK_MILLIS = 100;
  private static final ScheduledExecutorService THREAD = thread();

  private final ScheduledFuture<?> checks;

  private AttemptWatch(ScheduledFuture<?> checks) {
    this.checks = checks;
  }

  static AttemptWatch of(Attempt attempt) {
    return new AttemptWatch(
        THREAD.scheduleWithFixedDelay(
            () -> attempt.check(System.nanoTime()),
            CHECK_MILLIS,
            CHECK_MILLIS,
            TimeUnit.MILLISECONDS));
  }

  private static ScheduledExecutorService thread() {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = new Thread(task, "asynq4j-testing-watch");
              created.setDaemon(true);
              return created;
            });
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  void stop() {
    checks.cancel(/* mayInterruptIfRunning= */ false);
  }
}
