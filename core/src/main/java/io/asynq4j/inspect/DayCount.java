package io.asynq4j.inspect;

import io.asynq4j.internal.text.ValueText;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many attempts ended on a day. Days are counted by UTC in Redis; in another zone such a day
 * begins and ends at another hour, and is called by the date that most of it falls on. Immutable.
 */
public final class DayCount {

  private final LocalDate date;
  private final ZonedDateTime from;
  private final ZonedDateTime until;
  private final long processed;
  private final long failed;

  private DayCount(
      LocalDate date, ZonedDateTime from, ZonedDateTime until, long processed, long failed) {
    this.date = date;
    this.from = from;
    this.until = until;
    this.processed = processed;
    this.failed = failed;
  }

  /** The date that most of the counted day falls on. */
  public LocalDate date() {
    return date;
  }

  /** When the counted day begins, in the zone that was asked for. */
  public ZonedDateTime from() {
    return from;
  }

  /** When the counted day ends. */
  public ZonedDateTime until() {
    return until;
  }

  /** Attempts that ended, well or badly. */
  public long processed() {
    return processed;
  }

  /** Those of them that ended badly. */
  public long failed() {
    return failed;
  }

  /**
   * The counts of a day.
   *
   * @param utc the day in UTC
   * @param zone the zone in which to show it
   */
  public static DayCount of(LocalDate utc, ZoneId zone, long processed, long failed) {
    ZonedDateTime from = utc.atStartOfDay(ZoneOffset.UTC);
    return new DayCount(
        from.plusHours(12).withZoneSameInstant(zone).toLocalDate(),
        from.withZoneSameInstant(zone),
        from.plusDays(1).withZoneSameInstant(zone),
        processed,
        failed);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DayCount that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of("DayCount", "date from until processed failed", values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(date, from, until, processed, failed);
  }
}
