package io.asynq4j.internal.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;

/** Durations in Go's format, such as {@code 1h30m0s} and {@code 1.5s}. */
public final class GoDuration {

  /** Possessive and bounded, because the text comes from Redis and may be long. */
  private static final Pattern PART =
      Pattern.compile("(\\d{1,40}+(?:\\.\\d{0,40}+)?|\\.\\d{1,40}+)(ns|us|µs|μs|ms|s|m|h)");

  private GoDuration() {}

  public static String format(Duration duration) {
    if (duration.isNegative()) {
      return "-" + format(duration.negated());
    }
    if (duration.isZero()) {
      return "0s";
    }
    if (duration.toSeconds() == 0) {
      int nanos = duration.toNanosPart();
      if (nanos < 1_000) {
        return nanos + "ns";
      }
      return nanos < 1_000_000 ? decimal(nanos, 3) + "µs" : decimal(nanos, 6) + "ms";
    }
    long hours = duration.toHours();
    int minutes = duration.toMinutesPart();
    String seconds =
        decimal(duration.toSecondsPart() * 1_000_000_000L + duration.toNanosPart(), 9) + "s";
    if (hours > 0) {
      return hours + "h" + minutes + "m" + seconds;
    }
    return minutes > 0 ? minutes + "m" + seconds : seconds;
  }

  /** Returns a number without trailing zeros. */
  static String decimal(long units, int digitsBehindPoint) {
    return BigDecimal.valueOf(units, digitsBehindPoint).stripTrailingZeros().toPlainString();
  }

  /**
   * Parses a duration.
   *
   * @throws IllegalArgumentException if the text is not a duration
   */
  public static Duration parse(String text) {
    boolean negative = text.startsWith("-");
    String rest = negative || text.startsWith("+") ? text.substring(1) : text;
    if (rest.equals("0")) {
      return Duration.ZERO;
    }
    BigDecimal nanos =
        DurationFormat.sum(rest, PART)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "not a duration: \"%s\"; use hours, minutes and seconds, for example 1h30m or 90s"
                            .formatted(text)));
    if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("a duration of more than 292 years: \"" + text + "\"");
    }
    return Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue());
  }
}
