package io.asynq4j.inspect;

import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/**
 * The number of attempts settled on a UTC day. In another zone, that day starts and ends at another
 * hour, and its date is the one on which most of it falls. Immutable.
 */
public sealed interface DayCount permits DayCountRecord {

  /** The date on which most of the day falls. */
  LocalDate date();

  /** The start of the UTC day, in the requested zone. */
  ZonedDateTime from();

  /** The end of the UTC day, in the requested zone. */
  ZonedDateTime until();

  /** The number of settled attempts, successful or not. */
  long processed();

  /** The number of failed attempts. */
  long failed();

  /**
   * Returns the counts of a day.
   *
   * @param utc the UTC date
   * @param zone the zone of {@link #date}, {@link #from} and {@link #until}
   */
  static DayCount of(LocalDate utc, ZoneId zone, long processed, long failed) {
    ZonedDateTime from = utc.atStartOfDay(ZoneOffset.UTC);
    return new DayCountRecord(
        from.plusHours(12).withZoneSameInstant(zone).toLocalDate(),
        from.withZoneSameInstant(zone),
        from.plusDays(1).withZoneSameInstant(zone),
        processed,
        failed);
  }
}
