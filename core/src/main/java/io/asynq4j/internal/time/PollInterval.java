package io.asynq4j.internal.time;

import java.time.Duration;

/**
 * Interval between polls of a task whose result is awaited: starts short and grows by half after
 * each poll. Immutable.
 */
public record PollInterval(long nanos) {

  /** The longest interval between polls by one waiting caller. */
  public static final Duration LONGEST = Duration.ofMillis(500);

  public static PollInterval startingAt(Duration first) {
    return new PollInterval(first.toNanos());
  }

  /**
   * Returns the interval after one more poll.
   *
   * @param longest the interval that does not grow any further, such as {@link #LONGEST}
   */
  public PollInterval next(Duration longest) {
    return new PollInterval(Math.min(nanos * 3 / 2, longest.toNanos()));
  }
}
