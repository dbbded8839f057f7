package io.asynq4j.schedule;

import io.asynq4j.internal.schedule.CronSchedule;
import io.asynq4j.internal.schedule.IntervalSchedule;
import io.asynq4j.internal.schedule.RecurringSchedule;
import io.asynq4j.internal.text.GoDuration;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When something is to happen again and again. Immutable; two are equal when they have the same
 * {@link #spec}.
 */
public sealed interface Schedule permits RecurringSchedule {

  /**
   * By a spec as Go's asynq has them: five fields of cron, {@code @daily} and the like, or {@code
   * @every 90s}; with {@code CRON_TZ=Europe/Oslo} and a space before it in that zone, else in UTC.
   */
  static Schedule of(String spec) {
    return of(spec, null);
  }

  /** By cron in UTC, unless the spec names a zone. */
  static Schedule cron(String spec) {
    return of(spec, null);
  }

  /** By cron in a zone. */
  static Schedule cron(String spec, ZoneId zone) {
    return of(spec, zone);
  }

  /** Again and again after this time, in whole seconds, counted from when it was first known. */
  static Schedule every(Duration period) {
    return new IntervalSchedule(period);
  }

  private static Schedule of(String text, @Nullable ZoneId given) {
    String spec = text.trim();
    ZoneId zone = given == null ? ZoneOffset.UTC : given;
    if (spec.startsWith("CRON_TZ=") || spec.startsWith("TZ=")) {
      if (given != null) {
        throw new IllegalArgumentException(
            "the spec \"" + text + "\" names a zone itself; leave out either it or " + given);
      }
      int space = spec.indexOf(' ');
      if (space < 0) {
        throw new IllegalArgumentException(
            "the spec \""
                + text
                + "\" has nothing behind its zone; write \"CRON_TZ=Europe/Oslo 0 3 * * *\"");
      }
      zone = CronSchedule.zone(spec.substring(spec.indexOf('=') + 1, space));
      spec = spec.substring(space + 1).trim();
    }
    if (spec.startsWith("@every ")) {
      return new IntervalSchedule(GoDuration.parse(spec.substring("@every ".length()).trim()));
    }
    return new CronSchedule(spec, zone);
  }

  /** The text that stands for it, which Go reads too. */
  String spec();

  /**
   * The next so many instants after one; fewer when there are no more within five years. Those of
   * an {@code @every} schedule are counted from the instant that is given here.
   */
  List<Instant> next(Instant after, int count);
}
