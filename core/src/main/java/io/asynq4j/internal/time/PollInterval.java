package io.asynq4j.internal.time;

import java.time.Duration;

/**
 * Interval between polls of a task whose result is awaited: starts short and grows by half after
 * each poll. Immutable.
 */
public record PollInterval(long nanos) {

  /** The interval that does not grow any further. */
  public static final Duration LONGEST = Duration.ofMillis(500);

  public static PollInterval startingAt(Duration first) {
    return new PollInterval(first.toNanos());
  }

  /** Returns the interval after one more poll. */
  public PollInterval next() {
    return new PollInterval(Math.min(nanos * 3 / 2, LONGEST.toNanos()));
  }
}
