package io.asynq4j.dashboard.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronDescriptionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@every 90s | every 90 seconds",
        "@every 15m0s | every 15 minutes",
        "@every 1h0m0s | every hour",
        "@every 1h30m0s | every 1h30m",
        "@every 1.5s | every 1.5s",
        "@daily | every day at 00:00 (UTC)",
        "@hourly | every hour",
        "* * * * * | every minute",
        "*/5 * * * * | every 5 minutes",
        "7 * * * * | every hour, at minute 7",
        "0 */2 * * * | every 2 hours, at minute 0",
        "30 3 * * * | every day at 03:30 (UTC)",
        "30 3 * * 1 | every Monday at 03:30 (UTC)",
        "0 9 * * 1-5 | Monday to Friday at 09:00 (UTC)",
        "0 9 15 * ? | every month on day 15 at 09:00 (UTC)",
        "CRON_TZ=Europe/Oslo 0 3 * * * | every day at 03:00 (Europe/Oslo)",
        "1,2 3 4-6 * * |",
        "nonsense |"
      })
  void describesCommonSchedules(String spec, String words) {
    assertThat(CronDescription.of(spec)).isEqualTo(words);
  }
}
