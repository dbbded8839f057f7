package io.asynq4j.internal.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations in configuration files, options, URLs and requests: one or more numbers with units,
 * such as {@code 250ms}, {@code 1.5s}, {@code 1h30m} or {@code 2w}, or a duration of ISO 8601 such
 * as {@code PT90S}, or {@code 0}. Upper and lower case mean the same.
 */
public final class DurationFormat {

  /** The form, for messages that name a bound or a field as well. */
  public static final String EXPECTED = "such as 250ms, 90s, 1h30m, 7d or PT90S";

  /** Times can be computed with it, in milliseconds too. */
  public static final Duration LONGEST = Duration.ofDays(1_000_000);

  private static final Pattern PART =
      Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|d|w)", Pattern.CASE_INSENSITIVE);
  private static final Pattern ISO = Pattern.compile("[-+]?P.{1,60}", Pattern.CASE_INSENSITIVE);

  /** More parts than any duration needs. */
  private static final int MOST_PARTS = 20;

  private DurationFormat() {}

  /** Throws an {@code IllegalArgumentException} with the value and the expected form. */
  public static Duration parse(String text) {
    return tryParse(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "\"%s\" is not a duration; write it with units, %s, and %,d days at most"
                        .formatted(LogText.of(text, 100), EXPECTED, LONGEST.toDays())));
  }

  /** Empty when it is not a duration, or too long. */
  public static Optional<Duration> tryParse(String text) {
    String given = text.strip();
    if (given.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    try {
      Optional<Duration> read =
          ISO.matcher(given).matches()
              ? Optional.of(Duration.parse(given))
              : sum(given, PART).map(DurationFormat::ofNanos);
      return read.filter(duration -> duration.abs().compareTo(LONGEST) <= 0);
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns the sum of numbers with units in nanoseconds; empty if the text consists of other
   * parts.
   *
   * @param part a number as its first group and a unit as its second
   */
  static Optional<BigDecimal> sum(String text, Pattern part) {
    Matcher parts = part.matcher(text);
    BigDecimal nanos = BigDecimal.ZERO;
    int end = 0;
    for (int i = 0; i < MOST_PARTS && parts.region(end, text.length()).lookingAt(); i++) {
      BigDecimal unit = BigDecimal.valueOf(nanosOf(parts.group(2)));
      nanos = nanos.add(new BigDecimal(parts.group(1)).multiply(unit));
      end = parts.end();
    }
    return end > 0 && end == text.length() ? Optional.of(nanos) : Optional.empty();
  }

  private static Duration ofNanos(BigDecimal nanos) {
    BigDecimal[] parts =
        nanos
            .setScale(0, RoundingMode.HALF_UP)
            .divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
    return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
  }

  private static long nanosOf(String unit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "ns" -> 1;
      case "us", "µs", "μs" -> 1_000;
      case "ms" -> 1_000_000;
      case "s" -> 1_000_000_000;
      case "m" -> 60_000_000_000L;
      case "h" -> 3_600_000_000_000L;
      case "d" -> 86_400_000_000_000L;
      case "w" -> 604_800_000_000_000L;
      default -> throw new IllegalArgumentException("unknown unit " + unit);
    };
  }

  /** All units that are not zero, which {@link #parse} reads as the same duration. */
  public static String format(Duration duration) {
    if (duration.isNegative()) {
      return duration.toString();
    }
    String text = String.join("", parts(duration));
    if (duration.toNanosPart() > 0) {
      text += GoDuration.decimal(duration.toNanosPart(), 6) + "ms";
    }
    return text.isEmpty() ? "0s" : text;
  }

  /** Returns the days, hours, minutes and seconds with their units; empty where they are zero. */
  private static List<String> parts(Duration length) {
    return List.of(
        part(length.toDays(), "d"),
        part(length.toHoursPart(), "h"),
        part(length.toMinutesPart(), "m"),
        part(length.toSecondsPart(), "s"));
  }

  private static String part(long number, String unit) {
    return number == 0 ? "" : number + unit;
  }

  /** The two largest units, for people: {@code 2d3h}, {@code 4m5s}, {@code 350ms}. */
  public static String approximate(Duration duration) {
    Duration length = duration.abs();
    String sign = duration.isNegative() ? "-" : "";
    List<String> parts = parts(length).stream().dropWhile(String::isEmpty).limit(2).toList();
    if (!parts.isEmpty()) {
      return sign + String.join("", parts);
    }
    return sign + (length.isZero() ? "0s" : Math.max(1, length.toMillis()) + "ms");
  }
}
