package io.asynq4j.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

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
 * The times at which an entry fires, by cron or at intervals. Immutable; two schedules are equal if
 * they have the same {@link #spec}.
 */
public sealed interface Schedule permits RecurringSchedule {

  /**
   * Parses a spec in the format of Go's asynq: five cron fields, a descriptor such as {@code
   * @daily}, or {@code @every 90s}. Times are in UTC unless the spec starts with a zone, such as
   * {@code CRON_TZ=Europe/Oslo 0 3 * * *}.
   *
   * @throws IllegalArgumentException if the spec is invalid
   */
  static Schedule of(String spec) {
    return of(spec, null);
  }

  /** Returns a cron schedule in UTC, unless the spec names a zone. */
  static Schedule cron(String spec) {
    return of(spec, null);
  }

  /** Returns a cron schedule in a time zone. */
  static Schedule cron(String spec, ZoneId zone) {
    return of(spec, zone);
  }

  /**
   * Returns a schedule with a fixed interval in whole seconds, from when the entry is first known.
   */
  static Schedule every(Duration period) {
    return new IntervalSchedule(period);
  }

  private static Schedule of(String text, @Nullable ZoneId given) {
    String spec = text.trim();
    ZoneId zone = given == null ? ZoneOffset.UTC : given;
    if (spec.startsWith("CRON_TZ=") || spec.startsWith("TZ=")) {
      require(
          given == null,
          "the spec \"" + text + "\" names a time zone; remove it, or do not pass " + given);
      int space = spec.indexOf(' ');
      require(
          space >= 0,
          "the spec \"%s\" has nothing after its zone; write \"CRON_TZ=Europe/Oslo 0 3 * * *\""
              .formatted(text));
      zone = CronSchedule.zone(spec.substring(spec.indexOf('=') + 1, space));
      spec = spec.substring(space + 1).trim();
    }
    if (spec.startsWith("@every ")) {
      return new IntervalSchedule(GoDuration.parse(spec.substring("@every ".length()).trim()));
    }
    return new CronSchedule(spec, zone);
  }

  /** Returns the schedule as text that {@link #of(String)} and Go can parse. */
  String spec();

  /**
   * Returns the next instants after a time; fewer than {@code count} if there are no more within
   * five years. The instants of an {@code @every} schedule count from the given time.
   */
  List<Instant> next(Instant after, int count);
}
