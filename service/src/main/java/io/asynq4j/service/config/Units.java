package io.asynq4j.service.config;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as people write them: {@code 1h30m}, {@code 64KiB}. */
public final class Units {

  public static final String DURATION_HINT = "such as 250ms, 30s, 5m, 1h30m or 7d";
  static final String SIZE_HINT = "such as 500, 64KiB or 1MiB";

  private static final Pattern DURATION =
      Pattern.compile(
          "(?:(\\d{1,6})d)?(?:(\\d{1,7})h)?(?:(\\d{1,8})m)?(?:(\\d{1,9})s)?(?:(\\d{1,9})ms)?");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})(B|KiB|MiB|GiB)?");

  private Units() {}

  public static Optional<Duration> duration(String text) {
    Matcher parts = DURATION.matcher(text);
    if (text.isEmpty() || !parts.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofDays(number(parts.group(1)))
            .plusHours(number(parts.group(2)))
            .plusMinutes(number(parts.group(3)))
            .plusSeconds(number(parts.group(4)))
            .plusMillis(number(parts.group(5))));
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  static Optional<Long> size(String text) {
    Matcher parts = SIZE.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    String unit = parts.group(2) == null ? "B" : parts.group(2);
    long factor =
        switch (unit) {
          case "KiB" -> 1L << 10;
          case "MiB" -> 1L << 20;
          case "GiB" -> 1L << 30;
          default -> 1;
        };
    return Optional.of(Long.parseLong(parts.group(1)) * factor);
  }
}
