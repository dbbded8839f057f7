package io.asynq4j.internal.schedule;

import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the scheduler's thread. Thread-safe. */
public final class SchedulerWakeup {

  private final Semaphore raised = new Semaphore(0);

  void raise() {
    raised.release();
  }

  /**
   * Waits until the signal is raised, or was raised since the last wait, but no longer than this.
   */
  void await(Duration limit) throws InterruptedException {
    if (raised.tryAcquire(Math.max(0, TimeMath.nanos(limit)), TimeUnit.NANOSECONDS)) {
      raised.drainPermits();
    }
  }
}
