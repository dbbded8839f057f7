package io.asynq4j.internal.time;

import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;

/**
 * Arithmetic on times that never overflows. Whatever is read from Redis, or asked for, becomes the
 * nearest time that Redis, Go and JSON can express: from year 1 to year 9999.
 */
public final class TimeMath {

  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  public static final Instant LATEST = TaskOptions.LATEST_TIME;

  /** Far beyond any wait, and far from where sums with {@code System.nanoTime()} overflow. */
  private static final long MOST_NANOS = Long.MAX_VALUE / 4;

  private static final Duration MOST = Duration.ofNanos(MOST_NANOS);

  private TimeMath() {}

  /** The time itself, or the nearest one that can be expressed. */
  public static Instant within(Instant time) {
    if (time.isBefore(EARLIEST)) {
      return EARLIEST;
    }
    return time.isAfter(LATEST) ? LATEST : time;
  }

  /** Refuses a time that cannot be expressed. */
  public static Instant require(Instant time, String what) {
    if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
      throw new IllegalArgumentException(
          what + " must be between " + EARLIEST + " and " + LATEST + ": " + time);
    }
    return time;
  }

  /** A Unix time in whole seconds; what is behind the point is left out. */
  public static Instant ofSeconds(double seconds) {
    return within(Instant.ofEpochSecond((long) within(seconds, 1)));
  }

  /** A Unix time in milliseconds. */
  public static Instant ofMillis(long millis) {
    return ofMillis((double) millis);
  }

  /** A Unix time in milliseconds; parts of them are left out. */
  public static Instant ofMillis(double millis) {
    return within(Instant.ofEpochMilli((long) within(millis, 1000)));
  }

  private static double within(double value, int perSecond) {
    double lowest = (double) EARLIEST.getEpochSecond() * perSecond;
    double highest = (LATEST.getEpochSecond() + 1.0) * perSecond;
    return Double.isNaN(value) ? 0 : Math.max(lowest, Math.min(highest, value));
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

  /** For waiting: beyond 70 years, 70 years. */
  public static long nanos(Duration duration) {
    if (duration.compareTo(MOST) >= 0) {
      return MOST_NANOS;
    }
    return duration.compareTo(MOST.negated()) <= 0 ? -MOST_NANOS : duration.toNanos();
  }

  /** How long it is until a time; negative when it has passed. */
  public static long nanosUntil(Instant time, Instant now) {
    return nanos(Duration.between(now, time));
  }
}
