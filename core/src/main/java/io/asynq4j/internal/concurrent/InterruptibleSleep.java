package io.asynq4j.internal.concurrent;

import java.util.concurrent.TimeUnit;

/** Sleeping that an interrupt ends. */
public final class InterruptibleSleep {

  private InterruptibleSleep() {}

  /** Returns false if interrupted. */
  public static boolean sleepNanos(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
