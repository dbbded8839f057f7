package io.asynq4j.embedded;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Bounded waiting for something another process does. */
final class Poll {

  private static final Duration FINE = Duration.ofMillis(2);
  private static final Duration COARSE = Duration.ofMillis(25);

  private Poll() {}

  /** For what takes milliseconds: a process that starts or ends. */
  static boolean closely(Duration timeout, BooleanSupplier condition) {
    return until(timeout, FINE, condition);
  }

  /** For what takes a second or so and costs commands to ask: a group that comes to agree. */
  static boolean until(Duration timeout, BooleanSupplier condition) {
    return until(timeout, COARSE, condition);
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
