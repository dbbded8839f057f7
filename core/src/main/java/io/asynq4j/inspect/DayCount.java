package io.asynq4j.inspect;

import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/**
 * How many attempts ended on a day. Days are counted by UTC in Redis; in another zone such a day
 * begins and ends at another hour, and is called by the date that most of it falls on. Immutable.
 *
 * @param from when the counted day begins, in the zone that was asked for
 * @param until when it ends
 * @param processed attempts that ended, well or badly
 * @param failed those of them that ended badly
 */
public record DayCount(
    LocalDate date, ZonedDateTime from, ZonedDateTime until, long processed, long failed) {

  static DayCount of(LocalDate utc, ZoneId zone, long processed, long failed) {
    ZonedDateTime from = utc.atStartOfDay(ZoneOffset.UTC);
    return new DayCount(
        from.plusHours(12).withZoneSameInstant(zone).toLocalDate(),
        from.withZoneSameInstant(zone),
        from.plusDays(1).withZoneSameInstant(zone),
        processed,
        failed);
  }
}
