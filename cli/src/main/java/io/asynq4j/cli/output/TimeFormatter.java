package io.asynq4j.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Times and durations as people read and write them. */
public final class TimeFormatter {

  private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private TimeFormatter() {}

  /** The two largest units: {@code 2d3h}, {@code 4m5s}, {@code 350ms}. */
  public static String of(Duration time) {
    Duration length = time.abs();
    String sign = time.isNegative() ? "-" : "";
    if (length.toDays() > 0) {
      return sign + two(length.toDays(), "d", length.toHoursPart(), "h");
    } else if (length.toHours() > 0) {
      return sign + two(length.toHours(), "h", length.toMinutesPart(), "m");
    } else if (length.toMinutes() > 0) {
      return sign + two(length.toMinutes(), "m", length.toSecondsPart(), "s");
    } else if (length.toSeconds() > 0 || length.isZero()) {
      return sign + length.toSeconds() + "s";
    }
    return sign + Math.max(1, length.toMillis()) + "ms";
  }

  private static String two(long large, String largeUnit, int small, String smallUnit) {
    return large + largeUnit + (small == 0 ? "" : small + smallUnit);
  }

  /** {@code in 5m}, {@code 3s ago}, {@code now}; a dash when there is none. */
  public static String relative(@Nullable Instant at, Instant now) {
    if (at == null) {
      return "-";
    }
    Duration left = Duration.between(now, at);
    if (left.abs().toMillis() < 500) {
      return "now";
    }
    return left.isNegative() ? of(left.negated()) + " ago" : "in " + of(left);
  }

  /** On the clock of the reader, and how far away that is. */
  public static String full(@Nullable Instant at, Instant now) {
    return at == null
        ? "-"
        : LOCAL.format(at.atZone(ZoneId.systemDefault())) + " (" + relative(at, now) + ")";
  }
}
