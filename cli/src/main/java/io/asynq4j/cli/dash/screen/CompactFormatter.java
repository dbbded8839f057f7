package io.asynq4j.cli.dash.screen;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers and times in a short form of limited width. */
public final class CompactFormatter {

  public static final String NONE = "-";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss z", Locale.ROOT);

  private CompactFormatter() {}

  public static String counted(long number, String thing) {
    return count(number) + " " + thing + (number == 1 ? "" : "s");
  }

  /** At most seven characters. */
  public static String count(long number) {
    return number < 1_000_000 ? String.format(Locale.ROOT, "%,d", number) : scaled((double) number);
  }

  /** At most four characters. */
  public static String brief(long number) {
    return number < 10_000 ? Long.toString(number) : scaled((double) number);
  }

  private static String scaled(double number) {
    String units = "kMGTPE";
    double rest = number;
    int unit = -1;
    while (rest >= 999.5 && unit < units.length() - 1) {
      rest /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT,
        rest < 9.95 ? "%.1f%s" : "%.0f%s",
        rest,
        unit < 0 ? "" : units.substring(unit, unit + 1));
  }

  public static String rate(double perSecond) {
    if (perSecond >= 10_000) {
      return scaled(perSecond);
    }
    return String.format(Locale.ROOT, perSecond >= 100 ? "%.0f" : "%.1f", perSecond);
  }

  public static String percent(long part, long whole) {
    return whole == 0 ? NONE : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
  }

  /**
   * The two largest units without a blank, such as {@code 250ms}, {@code 3.2s}, {@code 5m10s} and
   * {@code 2h03m}.
   */
  public static String time(Duration duration) {
    long seconds = duration.toSeconds();
    if (duration.isZero() || duration.isNegative()) {
      return "0s";
    } else if (seconds < 1) {
      return duration.toMillis() + "ms";
    } else if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1fs", Math.floor(duration.toMillis() / 100.0) / 10);
    } else if (seconds < 60) {
      return seconds + "s";
    } else if (seconds < 3600) {
      return String.format(Locale.ROOT, "%dm%02ds", seconds / 60, seconds % 60);
    } else if (duration.toDays() < 1) {
      return String.format(Locale.ROOT, "%dh%02dm", seconds / 3600, seconds / 60 % 60);
    }
    return String.format(Locale.ROOT, "%dd%02dh", duration.toDays(), duration.toHoursPart());
  }

  /** Whole seconds, for waiting times. */
  public static String age(Duration duration) {
    return duration.toSeconds() < 10
        ? Math.max(0, duration.toSeconds()) + "s"
        : time(Duration.ofSeconds(duration.toSeconds()));
  }

  public static String ago(@Nullable Instant then, Instant now) {
    if (then == null) {
      return NONE;
    }
    return then.isAfter(now)
        ? "in " + age(Duration.between(now, then))
        : age(Duration.between(then, now)) + " ago";
  }

  /** For times in the future; a time in the past is "now". */
  public static String in(@Nullable Instant then, Instant now) {
    if (then == null) {
      return NONE;
    }
    return then.isAfter(now) ? "in " + age(Duration.between(now, then)) : "now";
  }

  public static String at(@Nullable Instant then, Instant now, ZoneId zone) {
    return then == null ? NONE : TIME.format(then.atZone(zone)) + " (" + ago(then, now) + ")";
  }
}
