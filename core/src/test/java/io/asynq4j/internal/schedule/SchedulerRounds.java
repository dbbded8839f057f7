package io.asynq4j.internal.schedule;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The steps of a scheduler that was not started, for tests that set the time. */
public final class SchedulerRounds {

  private SchedulerRounds() {}

  /** Runs one round and the rounds that its calls cause. Returns when to run the next one. */
  public static Instant round(SchedulerLifecycle threads) {
    Instant next = threads.loop.round();
    while (!threads.loop.lanes.calls.isEmpty()) {
      threads.wakeUp.await(TimeUnit.SECONDS.toNanos(1));
      next = threads.loop.round();
    }
    return next;
  }

  public static void readSource(SchedulerLifecycle threads) throws InterruptedException {
    threads.readSourceOnce();
  }

  public static void end(SchedulerLifecycle threads) {
    threads.loop.end();
  }
}
