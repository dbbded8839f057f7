package io.asynq4j.dashboard.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 90s}, {@code 1h30m}, {@code 2d}, or ISO 8601. */
public final class Durations {

  private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d|w)");

  private static final Duration LONGEST = Duration.ofDays(1_000_000);

  private Durations() {}

  /** Throws a problem when it is none, or one that no time can be computed with. */
  public static Duration parse(String text) {
    Duration duration = read(text);
    if (duration.compareTo(LONGEST) > 0 || duration.compareTo(LONGEST.negated()) < 0) {
      throw Problem.unprocessable(
          "\"%s\" is too long; %,d days are the most.".formatted(text, LONGEST.toDays()));
    }
    return duration;
  }

  private static Duration read(String text) {
    String trimmed = text.trim().toLowerCase(Locale.ROOT);
    try {
      if (trimmed.startsWith("p")) {
        return Duration.parse(trimmed);
      }
      Matcher part = PART.matcher(trimmed);
      Duration sum = Duration.ZERO;
      int end = 0;
      while (end < trimmed.length() && part.find(end) && part.start() == end) {
        sum = sum.plus(of(Long.parseLong(part.group(1)), part.group(2)));
        end = part.end();
      }
      if (end > 0 && end == trimmed.length()) {
        return sum;
      }
    } catch (DateTimeException | ArithmeticException e) {
      // It is told below.
    }
    throw Problem.unprocessable(
        "\"" + text + "\" is no duration; write one as 90s, 1h30m, 2d or PT90S.");
  }

  private static Duration of(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> Duration.ofDays(Math.multiplyExact(7, number));
    };
  }
}
