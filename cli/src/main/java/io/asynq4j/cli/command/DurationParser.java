package io.asynq4j.cli.command;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people and Go write them: {@code 1h30m}, {@code 1.5s}, {@code 7d}. */
public final class DurationParser {

  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + "){1,9}|0");

  private DurationParser() {}

  public static boolean isDuration(String text) {
    return WHOLE.matcher(text).matches();
  }

  /** Throws an {@code IllegalArgumentException} for what is none. */
  public static Duration parse(String text) {
    if (!isDuration(text)) {
      return iso(text);
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      double millis = Double.parseDouble(part.group(1)) * millisOf(part.group(2));
      sum = sum.plusMillis(Math.round(millis));
    }
    return sum;
  }

  private static Duration iso(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no duration; write it like 90s, 1h30m or 7d", e);
    }
  }

  private static long millisOf(String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "s" -> 1_000;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      default -> 86_400_000;
    };
  }
}
