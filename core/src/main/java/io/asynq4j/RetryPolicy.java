package io.asynq4j;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Computes the delay between attempts at a failed task. Must be thread-safe.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10))
 * }</pre>
 */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * Returns the delay after a failed attempt.
   *
   * @param retried number of retries before this failure: 0 after the first attempt
   */
  Duration delay(int retried, Throwable error, Task task);

  /**
   * Returns the policy of Go's asynq: about 30 seconds after the first failure, growing with the
   * fourth power of the number of retries up to the 100th. 25 retries span about three weeks.
   */
  static RetryPolicy standard() {
    return (retried, error, task) -> {
      long n = Math.min(retried, 100);
      long seconds = n * n * n * n + 15 + ThreadLocalRandom.current().nextInt(30) * (n + 1);
      return Duration.ofSeconds(seconds);
    };
  }

  /** Returns a policy with a constant delay. */
  static RetryPolicy fixed(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
    return (retried, error, task) -> delay;
  }

  /**
   * Returns a policy whose delay doubles with each retry up to a limit. Each delay varies by up to
   * 10 %, so that tasks which failed together are not retried together.
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
