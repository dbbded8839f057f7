package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides how long a task waits after a failed attempt. {@link TaskOptions#maxRetry} limits the
 * number of retries. Must be thread-safe.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10))
 * }</pre>
 */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * Returns the delay before the next attempt. If this method throws or returns a negative delay, a
   * server uses {@link #standard} instead. {@code TaskLeases} passes the exception on, and treats a
   * negative delay as zero.
   *
   * @param retried number of retries before the failed attempt: 0 if it was the first attempt
   * @param error the exception of the handler, or the reason that it returned
   * @param task the failed task
   */
  Duration delay(int retried, Throwable error, Task task);

  /**
   * Returns the default policy, which is that of asynq for Go: about 30 seconds after the first
   * failure, growing with the fourth power of the number of retries up to the 100th. 25 retries
   * take about three weeks. The delay is partly random, so that tasks that failed together are not
   * retried together.
   */
  static RetryPolicy standard() {
    return (retried, error, task) -> {
      long n = Math.min(retried, 100);
      long seconds = n * n * n * n + 15 + ThreadLocalRandom.current().nextInt(30) * (n + 1);
      return Duration.ofSeconds(seconds);
    };
  }

  /**
   * Returns a policy with a constant delay.
   *
   * @throws IllegalArgumentException if the delay is negative
   */
  static RetryPolicy fixed(Duration delay) {
    requireNotNegative(delay, "delay");
    return (retried, error, task) -> delay;
  }

  /**
   * Returns a policy whose delay doubles with each retry up to a maximum. Each delay varies
   * randomly by up to 10 %, so that tasks that failed together are not retried together.
   *
   * @param first the delay after the first failure, 1 millisecond or more
   * @param longest the maximum delay, not below {@code first}
   * @throws IllegalArgumentException if a delay is out of bounds
   */
  static RetryPolicy exponential(Duration first, Duration longest) {
    require(
        first.compareTo(Duration.ofMillis(1)) >= 0 && longest.compareTo(first) >= 0,
        "first must be 1 ms or longer, and not longer than longest, got %s and %s"
            .formatted(first, longest));
    long start = TimeMath.min(first, TaskOptions.LONGEST_TIME).toMillis();
    long limit = TimeMath.min(longest, TaskOptions.LONGEST_TIME).toMillis();
    return (retried, error, task) -> {
      double millis = Math.min((double) limit, start * Math.pow(2, retried));
      double jitter = ThreadLocalRandom.current().nextDouble(0.9, 1.1);
      return Duration.ofMillis(Math.min(limit, Math.round(millis * jitter)));
    };
  }
}
