package io.asynq4j.embedded;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Bounded waiting for another process. */
final class Poll {

  private static final Duration FINE = Duration.ofMillis(2);
  private static final Duration COARSE = Duration.ofMillis(25);

  private Poll() {}

  /** Polls for events within milliseconds: the start or end of a process. */
  static boolean closely(Duration timeout, BooleanSupplier condition) {
    return until(timeout, FINE, condition);
  }

  /**
   * Polls for events that take about a second and cost commands to check: the agreement of a group.
   */
  static boolean until(Duration timeout, BooleanSupplier condition) {
    return until(timeout, COARSE, condition);
  }

  /** Polls as {@link #until}, and fails if the condition is not met in time. */
  static void require(Duration timeout, String what, BooleanSupplier condition) {
    if (!until(timeout, condition)) {
      throw new EmbeddedRedisException("Waited " + timeout + " without success for " + what);
    }
  }

  private static boolean until(Duration timeout, Duration interval, BooleanSupplier condition) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      pause(interval);
    }
    return true;
  }

  static void pause(Duration duration) {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedRedisException("Interrupted while waiting for Redis", e);
    }
  }
}
