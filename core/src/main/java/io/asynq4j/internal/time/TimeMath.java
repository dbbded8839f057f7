package io.asynq4j.internal.time;

import static io.asynq4j.internal.text.DurationFormat.format;

import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;

/**
 * Time arithmetic without overflow. Values from Redis or callers are limited to the times that
 * Redis, Go and JSON can express: year 1 to year 9999.
 */
public final class TimeMath {

  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  public static final Instant LATEST = TaskOptions.LATEST_TIME;

  /**
   * Longer than any wait, and small enough that sums with {@code System.nanoTime()} do not
   * overflow.
   */
  private static final long MOST_NANOS = Long.MAX_VALUE / 4;

  private static final Duration MOST = Duration.ofNanos(MOST_NANOS);

  private TimeMath() {}

  /** Returns the time, or the nearest one that can be expressed. */
  public static Instant within(Instant time) {
    if (time.isBefore(EARLIEST)) {
      return EARLIEST;
    }
    return time.isAfter(LATEST) ? LATEST : time;
  }

  /** Rejects a time that cannot be expressed. */
  public static Instant require(Instant time, String what) {
    if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
      throw new IllegalArgumentException(
          what + " must be " + EARLIEST + " to " + LATEST + ", got " + time);
    }
    return time;
  }

  /** Rejects a duration outside of these bounds, which belong to the range. */
  public static void requireBetween(String what, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s must be %s to %s, got %s"
              .formatted(what, format(least), format(most), format(value)));
    }
  }

  /** Converts a Unix time to whole seconds; the fraction is dropped. */
  public static Instant ofSeconds(double seconds) {
    return ofMillis(1000.0 * (long) seconds);
  }

  /** Converts a Unix time in milliseconds; the fraction is dropped. */
  public static Instant ofMillis(double millis) {
    // The cast limits the value, and makes it 0 if it is no number.
    return within(Instant.ofEpochMilli((long) millis));
  }

  public static Instant plus(Instant time, Duration duration) {
    if (duration.compareTo(Duration.between(time, LATEST)) >= 0) {
      return LATEST;
    }
    return duration.compareTo(Duration.between(time, EARLIEST)) <= 0
        ? EARLIEST
        : time.plus(duration);
  }

  public static Instant minus(Instant time, Duration duration) {
    if (duration.compareTo(Duration.between(EARLIEST, time)) >= 0) {
      return EARLIEST;
    }
    return duration.compareTo(Duration.between(LATEST, time)) <= 0 ? LATEST : time.minus(duration);
  }

  public static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  public static Duration max(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** Returns nanoseconds for a wait, limited to 70 years. */
  public static long nanos(Duration duration) {
    if (duration.compareTo(MOST) >= 0) {
      return MOST_NANOS;
    }
    return duration.compareTo(MOST.negated()) <= 0 ? -MOST_NANOS : duration.toNanos();
  }

  /** Returns the time until {@code time}; negative if it has passed. */
  public static long nanosUntil(Instant time, Instant now) {
    return nanos(Duration.between(now, time));
  }
}
