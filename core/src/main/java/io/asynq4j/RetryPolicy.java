package io.asynq4j;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long a failed task waits for its next attempt. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * The delay after an attempt that failed.
   *
   * @param retried the retries used up before this failure: 0 after the first attempt
   */
  Duration delay(int retried, Throwable error, Task task);

  /**
   * What the original does: about 30 seconds after the first failure, growing with the fourth power
   * of the number of retries, so that 25 of them span three weeks. It stops growing at 100 of them.
   */
  static RetryPolicy standard() {
    return (retried, error, task) -> {
      long n = Math.min(retried, 100);
      long seconds = n * n * n * n + 15 + ThreadLocalRandom.current().nextInt(30) * (n + 1);
      return Duration.ofSeconds(seconds);
    };
  }

  /** Always the same delay. */
  static RetryPolicy fixed(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
    return (retried, error, task) -> delay;
  }

  /**
   * A delay that doubles with each retry up to a limit, give or take a tenth, so that tasks which
   * failed together do not come back together.
   */
  static RetryPolicy exponential(Duration first, Duration longest) {
    if (first.compareTo(Duration.ofMillis(1)) < 0 || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "the first delay must be a millisecond or more and not above the longest: "
              + first
              + ", "
              + longest);
    }
    long start = atMost(first).toMillis();
    long limit = atMost(longest).toMillis();
    return (retried, error, task) -> {
      double millis = Math.min((double) limit, start * Math.pow(2, retried));
      double jitter = ThreadLocalRandom.current().nextDouble(0.9, 1.1);
      return Duration.ofMillis(Math.min(limit, Math.round(millis * jitter)));
    };
  }

  private static Duration atMost(Duration delay) {
    return delay.compareTo(TaskOptions.LONGEST_TIME) > 0 ? TaskOptions.LONGEST_TIME : delay;
  }
}
