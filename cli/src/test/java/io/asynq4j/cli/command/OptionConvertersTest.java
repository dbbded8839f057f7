package io.asynq4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.internal.text.DurationFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class OptionConvertersTest {

  @Test
  void durationsAreThoseOfGoAndDays() {
    assertThat(DurationFormat.parse("1h30m")).isEqualTo(Duration.ofMinutes(90));
    assertThat(DurationFormat.parse("1.5s")).isEqualTo(Duration.ofMillis(1_500));
    assertThat(DurationFormat.parse("7d")).isEqualTo(Duration.ofDays(7));
    assertThat(DurationFormat.parse("250ms")).isEqualTo(Duration.ofMillis(250));
    assertThat(DurationFormat.parse("PT5S")).isEqualTo(Duration.ofSeconds(5));
    assertThat(DurationFormat.parse("0")).isEqualTo(Duration.ZERO);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DurationFormat.parse("5 apples"))
        .withMessageContaining("1h30m");
  }

  @Test
  void timesHaveAnOffsetOrAreLocal() {
    assertThat(OptionConverters.instant("2030-01-31T08:00:00+02:00"))
        .isEqualTo(Instant.parse("2030-01-31T06:00:00Z"));
    assertThat(OptionConverters.instant("2030-01-31 08:00"))
        .isEqualTo(LocalDateTime.of(2030, 1, 31, 8, 0).atZone(ZoneId.systemDefault()).toInstant());
    assertThatIllegalArgumentException().isThrownBy(() -> OptionConverters.instant("tomorrow"));
  }
}
