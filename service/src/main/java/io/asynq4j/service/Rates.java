package io.asynq4j.service;

import io.asynq4j.RateLimit;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates as people write them: {@code 100/s}, {@code 30/m}, {@code 5/10s}. */
final class Rates {

  static final String HINT = "a number of tasks in a time, such as 100/s, 30/m or 5/10s";

  private static final Pattern RATE = Pattern.compile("(\\d{1,9})/(\\d{0,6})(ms|s|m|h|d)");

  private Rates() {}

  /** Throws {@code IllegalArgumentException} when it is none. */
  static RateLimit parse(String text, Optional<Integer> burst) {
    Matcher parts = RATE.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("it must be " + HINT);
    }
    String time = (parts.group(2).isEmpty() ? "1" : parts.group(2)) + parts.group(3);
    Duration per = Units.duration(time).orElseThrow();
    RateLimit rate = RateLimit.of(Integer.parseInt(parts.group(1)), per);
    return burst.map(most -> new RateLimit(rate.tasks(), rate.per(), most)).orElse(rate);
  }

  static String text(RateLimit rate) {
    return rate.tasks() + "/" + rate.per().toMillis() + "ms";
  }
}
