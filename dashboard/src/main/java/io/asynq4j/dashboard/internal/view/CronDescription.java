package io.asynq4j.dashboard.internal.view;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes common schedule specs in English. */
final class CronDescription {

  private static final Pattern BLANK = Pattern.compile("\\s+");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,2}");
  private static final Pattern STEP = Pattern.compile("\\*/\\d{1,2}");

  private static final Pattern INTERVAL = Pattern.compile("(\\d+)([hms])");

  private static final List<String> DAYS =
      List.of("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday");

  private static final Map<String, String> NAMED =
      Map.of(
          "@yearly", "every year, on 1 January at 00:00",
          "@annually", "every year, on 1 January at 00:00",
          "@monthly", "every month, on day 1 at 00:00",
          "@weekly", "every Sunday at 00:00",
          "@daily", "every day at 00:00",
          "@midnight", "every day at 00:00",
          "@hourly", "every hour");

  private CronDescription() {}

  /** Describes a schedule spec in English; null if the spec has no short description. */
  static @Nullable String of(String spec) {
    String text = spec.trim();
    String zone = "UTC";
    if (text.startsWith("CRON_TZ=") || text.startsWith("TZ=")) {
      int space = text.indexOf(' ');
      if (space < 0) {
        return null;
      }
      zone = text.substring(text.indexOf('=') + 1, space);
      text = text.substring(space + 1).trim();
    }
    if (text.startsWith("@every ")) {
      return "every " + interval(text.substring("@every ".length()).trim());
    }
    String words = NAMED.getOrDefault(text.toLowerCase(Locale.ROOT), "");
    if (words.isEmpty()) {
      String found = fields(BLANK.split(text, -1));
      if (found == null) {
        return null;
      }
      words = found;
    }
    return words.contains(":") ? words + " (" + zone + ")" : words;
  }

  /** Removes zero units, because Go writes 15 minutes as 15m0s. */
  private static String interval(String given) {
    String text = given.replaceAll("(?<=\\D)0s$", "").replaceAll("(?<=\\D)0m$", "");
    Matcher single = INTERVAL.matcher(text);
    if (!single.matches()) {
      return text;
    }
    String unit =
        switch (single.group(2)) {
          case "h" -> "hour";
          case "m" -> "minute";
          default -> "second";
        };
    return single.group(1).equals("1") ? unit : single.group(1) + " " + unit + "s";
  }

  private static @Nullable String fields(String[] fields) {
    if (fields.length != 5) {
      return null;
    }
    String minute = fields[0];
    String hour = fields[1];
    String day = any(fields[2]);
    String month = any(fields[3]);
    String weekday = any(fields[4]);
    if (!month.equals("*")) {
      return null;
    }
    String days = days(day, weekday);
    if (days == null) {
      return null;
    }
    if (isNumber(minute) && isNumber(hour)) {
      return "%s at %02d:%02d".formatted(days, Integer.parseInt(hour), Integer.parseInt(minute));
    }
    if (!days.equals("every day")) {
      return null;
    }
    if (minute.equals("*") && hour.equals("*")) {
      return "every minute";
    } else if (STEP.matcher(minute).matches() && hour.equals("*")) {
      return "every " + minute.substring(2) + " minutes";
    } else if (isNumber(minute) && hour.equals("*")) {
      return "every hour, at minute " + Integer.parseInt(minute);
    } else if (isNumber(minute) && STEP.matcher(hour).matches()) {
      return "every " + hour.substring(2) + " hours, at minute " + Integer.parseInt(minute);
    }
    return null;
  }

  private static String any(String field) {
    return field.equals("?") ? "*" : field;
  }

  private static @Nullable String days(String day, String weekday) {
    if (day.equals("*") && weekday.equals("*")) {
      return "every day";
    } else if (day.equals("*") && weekday.toUpperCase(Locale.ROOT).matches("1-5|MON-FRI")) {
      return "Monday to Friday";
    } else if (day.equals("*") && isNumber(weekday) && Integer.parseInt(weekday) < DAYS.size()) {
      return "every " + DAYS.get(Integer.parseInt(weekday));
    } else if (isNumber(day) && weekday.equals("*")) {
      return "every month on day " + Integer.parseInt(day);
    }
    return null;
  }

  private static boolean isNumber(String field) {
    return NUMBER.matcher(field).matches();
  }
}
