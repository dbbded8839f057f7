package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maximum number of tasks of a queue that start per period, over all workers. Redis enforces it
 * with a token bucket: each start uses a token, tokens are added at a constant rate, and the bucket
 * has at most {@code burst} tokens. Immutable.
 *
 * <pre>{@code
 * RateLimit.of(100, Duration.ofSeconds(1)).withBurst(20)
 * }</pre>
 *
 * @param tasks number of tasks per period, 1 or more
 * @param per the period, from 1 millisecond to 31 days
 * @param burst maximum number of tasks that start at once after an idle time, 1 or more
 */
public record RateLimit(int tasks, Duration per, int burst) {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(31);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,9})/(\\S{1,60})");
  private static final String UNLIMITED_TEXT = "none";

  /** Units from the longest to the shortest. */
  private static final List<String> UNITS = List.of("d", "h", "m", "s", "ms");

  /** No limit. Overrides a limit that is set elsewhere, such as in a task definition. */
  public static final RateLimit UNLIMITED =
      new RateLimit(Integer.MAX_VALUE, SHORTEST, Integer.MAX_VALUE);

  public RateLimit {
    requireAtLeast(1, tasks, "the number of tasks of a rate");
    TimeMath.requireBetween("the period of a rate", per, SHORTEST, LONGEST);
    requireAtLeast(1, burst, "a burst");
  }

  /**
   * Returns a limit with the default burst: the number of tasks in a tenth of a second, at least
   * one.
   */
  public static RateLimit of(int tasks, Duration per) {
    return new RateLimit(tasks, per, (int) Math.max(1, tasks * 100L / Math.max(1, per.toMillis())));
  }

  /**
   * Parses a rate such as {@code 100/s}, {@code 30/m} or {@code 5/10s}, or {@code none} for no
   * limit. The burst is the default one.
   *
   * @throws IllegalArgumentException if the text is not a rate
   */
  public static RateLimit parse(String text) {
    if (text.equals(UNLIMITED_TEXT)) {
      return UNLIMITED;
    }
    Matcher parts = TEXT.matcher(text);
    if (parts.matches()) {
      String time = parts.group(2);
      boolean isUnitAlone = Character.isLetter(time.charAt(0)) && !time.startsWith("P");
      Optional<Duration> per = DurationFormat.tryParse(isUnitAlone ? "1" + time : time);
      if (per.isPresent()) {
        return of(Integer.parseInt(parts.group(1)), per.get());
      }
    }
    throw new IllegalArgumentException(
        "a rate must be a number of tasks per period, such as 100/s, 30/m or 5/10s, got \"%s\""
            .formatted(text));
  }

  /** Returns the same rate with another burst. */
  public RateLimit withBurst(int newBurst) {
    return new RateLimit(tasks, per, newBurst);
  }

  /** Returns whether this is {@link #UNLIMITED}. */
  public boolean isUnlimited() {
    return equals(UNLIMITED);
  }

  /** Returns the average number of tasks per second. */
  public double perSecond() {
    return tasks * 1000.0 / per.toMillis();
  }

  /** Returns the rate in the form that {@link #parse} accepts, without the burst. */
  public String text() {
    if (isUnlimited()) {
      return UNLIMITED_TEXT;
    }
    long millis = per.toMillis();
    for (String unit : UNITS) {
      long length = DurationFormat.parse("1" + unit).toMillis();
      if (millis % length == 0) {
        return tasks + "/" + (millis == length ? "" : millis / length) + unit;
      }
    }
    throw new AssertionError("every period is a number of milliseconds");
  }
}
