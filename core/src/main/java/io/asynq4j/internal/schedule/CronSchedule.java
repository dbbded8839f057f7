package io.asynq4j.internal.schedule;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A schedule by the five fields of cron. It fires at each minute of the local time in its zone that
 * the fields match. When clocks are put forward, skipped times do not fire on that day; when clocks
 * are put back, repeated times fire twice.
 */
public final class CronSchedule extends RecurringSchedule {

  private static final Map<String, String> DESCRIPTORS =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private static final int MOST_YEARS = 5;

  private final String spec;
  private final ZoneId zone;
  private final Map<CronField, Long> fields = new EnumMap<>(CronField.class);

  public CronSchedule(String text, ZoneId zone) {
    this.zone = zone;
    boolean utc = zone.equals(ZoneOffset.UTC) || zone.getId().equals("UTC");
    this.spec = utc ? text : "CRON_TZ=" + zone.getId() + " " + text;
    Iterator<String> parts = split(text).iterator();
    try {
      for (CronField field : CronField.values()) {
        fields.put(field, field.parse(parts.next()));
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the cron spec \"" + text + "\": " + e.getMessage(), e);
    }
  }

  private static List<String> split(String text) {
    String fields = text.startsWith("@") ? DESCRIPTORS.get(text) : text;
    if (fields == null) {
      throw new IllegalArgumentException(
          ("the cron spec \"%s\" is not one of @yearly, @annually, @monthly, @weekly, @daily,"
                  + " @midnight, @hourly and @every followed by a duration")
              .formatted(text));
    }
    String[] parts = fields.trim().split("\\s+", -1);
    if (parts.length != CronField.values().length) {
      throw new IllegalArgumentException(
          ("the cron spec \"%s\" must have five fields (minute, hour, day of month, month, day of week),"
                  + " separated by spaces, but has %d")
              .formatted(text, fields.isBlank() ? 0 : parts.length));
    }
    return List.of(parts);
  }

  public static ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "unknown time zone \"" + name + "\"; use a name such as Europe/Oslo", e);
    }
  }

  @Override
  public String spec() {
    return spec;
  }

  @Override
  Optional<Instant> next(Instant after, Instant anchor) {
    ZonedDateTime start = after.atZone(zone);
    ZonedDateTime time =
        after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(60 - start.getSecond()).atZone(zone);
    while (time.getYear() <= start.getYear() + MOST_YEARS) {
      if (!has(CronField.MONTH, time.getMonthValue())) {
        time = time.toLocalDate().withDayOfMonth(1).plusMonths(1).atStartOfDay(zone);
      } else if (!matchesDay(time)) {
        time = time.toLocalDate().plusDays(1).atStartOfDay(zone);
      } else if (!has(CronField.HOUR, time.getHour())) {
        time = later(time, 60 - time.getMinute());
      } else if (!has(CronField.MINUTE, time.getMinute())) {
        time = later(time, 1);
      } else {
        return Optional.of(time.toInstant());
      }
    }
    return Optional.empty();
  }

  /** Stops at a change of the clocks, since another hour may begin there. */
  private ZonedDateTime later(ZonedDateTime time, int byMinutes) {
    Instant target = time.toInstant().plus(Duration.ofMinutes(byMinutes));
    ZoneOffsetTransition change = zone.getRules().nextTransition(time.toInstant());
    return (change != null && change.getInstant().isBefore(target) ? change.getInstant() : target)
        .atZone(zone);
  }

  /** If both day fields are restricted, either may match; otherwise both must. */
  private boolean matchesDay(ZonedDateTime time) {
    boolean day = has(CronField.DAY, time.getDayOfMonth());
    boolean weekday = has(CronField.WEEKDAY, time.getDayOfWeek().getValue() % 7);
    boolean anyAllowed = has(CronField.DAY, CronField.ANY) || has(CronField.WEEKDAY, CronField.ANY);
    return anyAllowed ? day && weekday : day || weekday;
  }

  private boolean has(CronField field, int value) {
    return (fields.getOrDefault(field, 0L) >> value & 1) == 1;
  }
}
