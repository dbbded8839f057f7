package io.asynq4j.internal.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import java.util.Locale;

/** One field of a cron spec: its values as the bits of a number. */
enum CronField {
  MINUTE("minute", 0, 59, ""),
  HOUR("hour", 0, 23, ""),
  DAY("day of month", 1, 31, ""),
  MONTH("month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"),
  WEEKDAY("day of week", 0, 6, "sunmontuewedthufrisat");

  private static final int NAME_LENGTH = 3;

  /** Set in addition to the values of a field that allows any value. */
  static final int ANY = 63;

  private final String title;
  private final int least;
  private final int most;
  private final String names;

  CronField(String title, int least, int most, String names) {
    this.title = title;
    this.least = least;
    this.most = most;
    this.names = names;
  }

  long parse(String text) {
    long bits = 0;
    for (String part : text.split(",", -1)) {
      bits |= part(part);
    }
    return bits;
  }

  /** Parses {@code *}, a value or a range, optionally with a step. */
  private long part(String part) {
    String[] stepped = part.split("/", 2);
    int step = stepped.length == 1 ? 1 : step(stepped[1], part);
    if (stepped[0].equals("*") || stepped[0].equals("?")) {
      // With a step it no longer means "any", which matters if both day fields are restricted.
      return values(least, most, step) | (step == 1 ? 1L << ANY : 0);
    }
    String[] range = stepped[0].split("-", 2);
    int from = value(range[0]);
    int last = stepped.length == 1 ? from : most;
    int to = range.length == 1 ? last : value(range[1]);
    require(from <= to, "the %s \"%s\" ends before it starts".formatted(title, part));
    return values(from, to, step);
  }

  private static long values(int from, int to, int step) {
    long bits = 0;
    for (int value = from; value <= to; value += step) {
      bits |= 1L << value;
    }
    return bits;
  }

  private int step(String text, String part) {
    int step = number(text);
    require(step >= 1, "the step of the %s \"%s\" must be 1 or greater".formatted(title, part));
    // A larger step has the same effect; the limit prevents an overflow.
    return Math.min(step, 100);
  }

  private int value(String text) {
    int name = name(text);
    int value = name < 0 ? number(text) : name + least;
    String hint = this == WEEKDAY && value == 7 ? "; Sunday is 0" : "";
    require(
        value >= least && value <= most,
        "the %s %s is not between %d and %d%s".formatted(title, text, least, most, hint));
    return value;
  }

  /** Returns the index of the name, from 0; negative if there is none. */
  private int name(String text) {
    int at = text.length() == NAME_LENGTH ? names.indexOf(text.toLowerCase(Locale.ROOT)) : -1;
    return at % NAME_LENGTH == 0 ? at / NAME_LENGTH : -1;
  }

  private int number(String text) {
    String hint = names.isEmpty() ? "" : " or a name such as " + names.substring(0, NAME_LENGTH);
    require(
        text.matches("[0-9]{1,9}"), "the %s \"%s\" is not a number%s".formatted(title, text, hint));
    return Integer.parseInt(text);
  }
}
