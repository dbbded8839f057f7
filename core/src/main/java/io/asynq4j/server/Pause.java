package io.asynq4j.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waiting that an interrupt ends. */
final class Pause {

  private Pause() {}

  /** False when it was interrupted. */
  static boolean sleep(Duration time) {
    try {
      TimeUnit.NANOSECONDS.sleep(time.toNanos());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
