package io.asynq4j.cli.output;

import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Formats times. */
public final class TimeFormatter {

  private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private TimeFormatter() {}

  /** {@code in 5m}, {@code 3s ago} or {@code now}; a dash if there is no time. */
  public static String relative(@Nullable Instant at, Instant now) {
    if (at == null) {
      return "-";
    }
    Duration left = Duration.between(now, at);
    if (left.abs().toMillis() < 500) {
      return "now";
    }
    return left.isNegative()
        ? DurationFormat.approximate(left.negated()) + " ago"
        : "in " + DurationFormat.approximate(left);
  }

  /** Local time and its distance from now. */
  public static String full(@Nullable Instant at, Instant now) {
    return at == null
        ? "-"
        : LOCAL.format(at.atZone(ZoneId.systemDefault())) + " (" + relative(at, now) + ")";
  }
}
