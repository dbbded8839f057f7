package io.asynq4j.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waiting that an interrupt ends. */
final class InterruptibleSleep {

  private InterruptibleSleep() {}

  /** False when it was interrupted. */
  static boolean sleep(Duration time) {
    return sleepNanos(time.toNanos());
  }

  /** False when it was interrupted. */
  static boolean sleepNanos(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
