package io.asynq4j.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.schedule.Schedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Meaning of cron expressions, and which are refused. */
class CronScheduleTest {

  /** All times are UTC; 2024-01-01 is a Monday, and 2024 a leap year. */
  @ParameterizedTest(name = "{0} after {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # minutes and hours
          * * * * *           | 2024-01-01T00:00:00 | 2024-01-01T00:01 2024-01-01T00:02 2024-01-01T00:03
          * * * * *           | 2024-01-01T00:00:59 | 2024-01-01T00:01
          0 0 * * *           | 2024-01-01T00:00:00 | 2024-01-02T00:00
          0 0 * * *           | 2023-12-31T23:59:59 | 2024-01-01T00:00 2024-01-02T00:00
          30 4 * * *          | 2024-01-01T04:29:30 | 2024-01-01T04:30 2024-01-02T04:30
          */15 * * * *        | 2024-01-01T00:07:00 | 2024-01-01T00:15 2024-01-01T00:30 2024-01-01T00:45 2024-01-01T01:00
          5/20 * * * *        | 2024-01-01T00:00:00 | 2024-01-01T00:05 2024-01-01T00:25 2024-01-01T00:45 2024-01-01T01:05
          10-20/5 * * * *     | 2024-01-01T00:00:00 | 2024-01-01T00:10 2024-01-01T00:15 2024-01-01T00:20 2024-01-01T01:10
          1,3,50-51 0 * * *   | 2024-01-01T00:00:00 | 2024-01-01T00:01 2024-01-01T00:03 2024-01-01T00:50 2024-01-01T00:51 2024-01-02T00:01
          59 23 31 12 *       | 2024-01-01T00:00:00 | 2024-12-31T23:59 2025-12-31T23:59
          0 */12 * * *        | 2024-01-01T00:00:00 | 2024-01-01T12:00 2024-01-02T00:00
          0 22/1 * * *        | 2024-01-01T00:00:00 | 2024-01-01T22:00 2024-01-01T23:00 2024-01-02T22:00
          # days and months
          0 0 31 * *          | 2024-01-01T00:00:00 | 2024-01-31T00:00 2024-03-31T00:00 2024-05-31T00:00
          0 0 29 2 *          | 2024-03-01T00:00:00 | 2028-02-29T00:00
          0 0 29 feb ?        | 2096-03-01T00:00:00 |
          0 0 30 2 *          | 2024-01-01T00:00:00 |
          0 0 1 jan,JUL *     | 2024-01-01T00:00:00 | 2024-07-01T00:00 2025-01-01T00:00
          0 0 1 mar-May *     | 2024-01-01T00:00:00 | 2024-03-01T00:00 2024-04-01T00:00 2024-05-01T00:00 2025-03-01T00:00
          0 0 1 */5 *         | 2024-01-01T00:00:00 | 2024-06-01T00:00 2024-11-01T00:00 2025-01-01T00:00
          # days of the week
          0 0 * * 0           | 2024-01-01T00:00:00 | 2024-01-07T00:00 2024-01-14T00:00
          0 0 * * SUN         | 2024-01-01T00:00:00 | 2024-01-07T00:00
          0 0 * * mon-fri     | 2024-01-05T00:00:00 | 2024-01-08T00:00 2024-01-09T00:00
          0 0 ? * sat         | 2024-01-01T00:00:00 | 2024-01-06T00:00
          # either day when both are given, both when one is any
          0 0 15 * mon        | 2024-01-01T00:00:00 | 2024-01-08T00:00 2024-01-15T00:00 2024-01-22T00:00 2024-01-29T00:00 2024-02-05T00:00 2024-02-12T00:00 2024-02-15T00:00
          0 0 15 * *          | 2024-01-01T00:00:00 | 2024-01-15T00:00 2024-02-15T00:00
          0 0 */1 * mon       | 2024-01-01T00:00:00 | 2024-01-08T00:00 2024-01-15T00:00
          0 0 */10 * mon      | 2024-01-01T00:00:00 | 2024-01-08T00:00 2024-01-11T00:00 2024-01-15T00:00 2024-01-21T00:00
          0 0 1-31 * mon      | 2024-01-01T00:00:00 | 2024-01-02T00:00 2024-01-03T00:00
          0 0 *,5 * mon       | 2024-01-01T00:00:00 | 2024-01-08T00:00 2024-01-15T00:00
          # words
          @yearly             | 2024-01-01T00:00:00 | 2025-01-01T00:00
          @annually           | 2024-06-01T00:00:00 | 2025-01-01T00:00
          @monthly            | 2024-01-01T00:00:00 | 2024-02-01T00:00
          @weekly             | 2024-01-01T00:00:00 | 2024-01-07T00:00
          @daily              | 2024-01-01T00:00:00 | 2024-01-02T00:00
          @midnight           | 2024-01-01T12:00:00 | 2024-01-02T00:00
          @hourly             | 2024-01-01T00:00:00 | 2024-01-01T01:00
          # intervals, counted from the instant that is asked for
          @every 90s          | 2024-01-01T00:00:00 | 2024-01-01T00:01:30 2024-01-01T00:03
          @every 1h30m        | 2024-01-01T00:00:00 | 2024-01-01T01:30 2024-01-01T03:00
          @every 100ms        | 2024-01-01T00:00:00 | 2024-01-01T00:00:01 2024-01-01T00:00:02
          @every 2.9s         | 2024-01-01T00:00:00 | 2024-01-01T00:00:02 2024-01-01T00:00:04
          # zones
          CRON_TZ=Asia/Tokyo 0 9 * * *     | 2024-01-01T00:00:00 | 2024-01-02T00:00 2024-01-03T00:00
          TZ=America/New_York @daily       | 2024-01-01T00:00:00 | 2024-01-01T05:00 2024-01-02T05:00
          CRON_TZ=UTC 0 9 * * *            | 2024-01-01T00:00:00 | 2024-01-01T09:00
          CRON_TZ=Asia/Kolkata 15 0 * * *  | 2024-01-01T00:00:00 | 2024-01-01T18:45
          # clocks are put forward: 2024-03-31 02:00 becomes 03:00 in Oslo; what is passed over does not fire
          CRON_TZ=Europe/Oslo 30 2 * * *   | 2024-03-30T00:00:00 | 2024-03-30T01:30 2024-04-01T00:30
          CRON_TZ=Europe/Oslo 0 * * * *    | 2024-03-31T00:00:00 | 2024-03-31T01:00 2024-03-31T02:00
          CRON_TZ=Europe/Oslo 0 3 * * *    | 2024-03-30T12:00:00 | 2024-03-31T01:00 2024-04-01T01:00
          CRON_TZ=Europe/Oslo */30 1-3 * * * | 2024-03-31T00:00:00 | 2024-03-31T00:30 2024-03-31T01:00 2024-03-31T01:30 2024-03-31T23:00
          # clocks are put back: 2024-10-27 03:00 becomes 02:00 in Oslo; what is shown twice fires twice
          CRON_TZ=Europe/Oslo 30 2 * * *   | 2024-10-26T12:00:00 | 2024-10-27T00:30 2024-10-27T01:30 2024-10-28T01:30
          CRON_TZ=Europe/Oslo 0 3 * * *    | 2024-10-26T12:00:00 | 2024-10-27T02:00
          CRON_TZ=Europe/Oslo 0 * * * *    | 2024-10-26T23:30:00 | 2024-10-27T00:00 2024-10-27T01:00 2024-10-27T02:00
          CRON_TZ=America/New_York 0 1 * * * | 2024-11-02T12:00:00 | 2024-11-03T05:00 2024-11-03T06:00 2024-11-04T06:00
          # by half an hour, and at midnight
          CRON_TZ=Australia/Lord_Howe 45 1 * * * | 2024-04-06T00:00:00 | 2024-04-06T14:45 2024-04-06T15:15 2024-04-07T15:15
          CRON_TZ=Australia/Lord_Howe 15 2 * * * | 2024-10-05T00:00:00 | 2024-10-06T15:15
          CRON_TZ=America/Asuncion 30 0 * * *    | 2023-09-30T12:00:00 | 2023-10-02T03:30
          CRON_TZ=America/Asuncion 30 1 * * *    | 2023-09-30T12:00:00 | 2023-10-01T04:30
          # at one minute past midnight
          CRON_TZ=America/St_Johns 30 1 * * *    | 2010-03-13T12:00:00 | 2010-03-14T04:00
          CRON_TZ=America/St_Johns 30 0 * * *    | 2010-03-13T12:00:00 | 2010-03-15T03:00
          """)
  void theNextInstantsOfASpec(String spec, String after, @Nullable String expected) {
    List<Instant> wanted =
        expected == null
            ? List.of()
            : Arrays.stream(expected.split(" ", -1)).map(CronScheduleTest::utc).toList();

    List<Instant> next = Schedule.of(spec).next(utc(after), Math.max(1, wanted.size()));

    assertThat(next).isEqualTo(wanted);
  }

  private static Instant utc(String local) {
    return LocalDateTime.parse(local).toInstant(ZoneOffset.UTC);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                        | has 0
          * * * *                   | has 4
          0 * * * * *               | has 6
          60 * * * *                | the minute 60 is not between 0 and 59
          * 24 * * *                | the hour 24 is not between 0 and 23
          * * 0 * *                 | the day of month 0 is not between 1 and 31
          * * 32 * *                | the day of month 32
          * * * 13 *                | the month 13
          * * * * 7                 | Sunday is 0
          * * * foo *               | the month "foo" is not a number or a name such as jan
          * * * january *           | "january"
          5-1 * * * *               | ends before it starts
          */0 * * * *               | must be 1 or greater
          1/-2 * * * *              | "-2" is not a number
          */5/5 * * * *             | "5/5" is not a number
          1-2-3 * * * *             | "2-3" is not a number
          , * * * *                 | "" is not a number
          1, * * * *                | "" is not a number
          L * * * *                 | "L" is not a number
          99999999999 * * * *       | is not a number
          @fortnightly              | is not one of @yearly
          @DAILY                    | is not one of @yearly
          @every                    | @every followed by a duration
          @every 5                  | not a duration: "5"
          @every 5 minutes          | not a duration: "5 minutes"
          @every 1d                 | not a duration: "1d"
          @every 0s                 | must be greater than 0
          @every -5s                | must be greater than 0
          CRON_TZ=Europe/Oslo       | nothing after its zone
          TZ=                       | nothing after its zone
          CRON_TZ=Mars/Base 0 0 * * * | unknown time zone "Mars/Base"
          """)
  void whatCannotBeIsRefusedWithTheReason(String spec, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Schedule.of(spec))
        .withMessageContaining(reason);
  }

  @Test
  void aZoneMayBeGivenBesideTheSpecButNotTwice() {
    ZoneId oslo = ZoneId.of("Europe/Oslo");

    assertThat(Schedule.cron("0 3 * * *", oslo))
        .isEqualTo(Schedule.of("CRON_TZ=Europe/Oslo 0 3 * * *"))
        .hasToString("CRON_TZ=Europe/Oslo 0 3 * * *");
    assertThat(Schedule.cron("@daily", ZoneId.of("UTC")).spec()).isEqualTo("@daily");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Schedule.cron("TZ=Asia/Tokyo 0 3 * * *", oslo))
        .withMessageContaining("names a time zone");
  }

  /** Looks at every minute of a random month, in zones with all kinds of changes. */
  @Test
  void theNextInstantIsTheFirstMinuteThatTheClockOnTheWallShows() {
    Random random = new Random(42);
    String[] specs = {
      "*/7 * * * *", "30 2 * * *", "0 0 * * *", "15 */3 1-15 * *", "45 1 * * sun", "59 23 28-31 * *"
    };
    String[] zones = {
      "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "America/Asuncion", "Asia/Kathmandu"
    };
    for (int i = 0; i < 200; i++) {
      String spec = specs[random.nextInt(specs.length)];
      ZoneId zone = ZoneId.of(zones[random.nextInt(zones.length)]);
      Instant after =
          Instant.parse("2020-01-01T00:00:00Z").plusSeconds(60L * random.nextInt(2_000_000));
      CronSchedule fixed = new CronSchedule(spec, zone);

      Instant next = fixed.next(after, 1).get(0);

      Instant found = after.plusSeconds(60);
      while (!matches(spec, zone, found)) {
        found = found.plusSeconds(60);
      }
      assertThat(next).as("%s in %s after %s", spec, zone, after).isEqualTo(found);
    }
  }

  /** By the fields one by one, with nothing clever. */
  private static boolean matches(String spec, ZoneId zone, Instant instant) {
    String[] fields = spec.split(" ", -1);
    ZonedDateTime time = instant.atZone(zone);
    return has(CronField.MINUTE, fields[0], time.getMinute())
        && has(CronField.HOUR, fields[1], time.getHour())
        && has(CronField.DAY, fields[2], time.getDayOfMonth())
        && has(CronField.MONTH, fields[3], time.getMonthValue())
        && has(CronField.WEEKDAY, fields[4], time.getDayOfWeek().getValue() % 7);
  }

  private static boolean has(CronField field, String text, int value) {
    return (field.parse(text) >> value & 1) == 1;
  }
}
