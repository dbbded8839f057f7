package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitTest {

  @ParameterizedTest
  @CsvSource({
    "100/s, 100, 1000",
    "30/m, 30, 60000",
    "5/10s, 5, 10000",
    "1/250ms, 1, 250",
    "7/2d, 7, 172800000",
    "9/h, 9, 3600000"
  })
  void aRateIsWrittenAsANumberInATime(String text, int tasks, long millis) {
    RateLimit rate = RateLimit.parse(text);
    assertThat(rate).isEqualTo(RateLimit.of(tasks, Duration.ofMillis(millis)));
    assertThat(rate.text()).isEqualTo(text);
    assertThat(rate.withBurst(77).burst()).isEqualTo(77);
  }

  @Test
  void aRateOfNoneIsNoLimit() {
    assertThat(RateLimit.parse("none").isUnlimited()).isTrue();
    assertThat(RateLimit.UNLIMITED.text()).isEqualTo("none");
    assertThat(RateLimit.parse("1000/ms").isUnlimited()).isFalse();
    assertThat(RateLimit.parse("60/60s").text()).isEqualTo("60/m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5/", "/s", "-1/s", "5/year", "0/s", "5/0s", "5/40d"})
  void whatIsNoRateIsRefused(String text) {
    assertThatThrownBy(() -> RateLimit.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theBurstIsATenthOfASecondUnlessSet() {
    assertThat(RateLimit.of(100, Duration.ofSeconds(1)).burst()).isEqualTo(10);
    assertThat(RateLimit.of(5, Duration.ofSeconds(1)).burst()).isEqualTo(1);
    assertThat(RateLimit.of(30, Duration.ofMinutes(1)).burst()).isEqualTo(1);
    assertThat(RateLimit.of(30, Duration.ofMinutes(1)).perSecond()).isEqualTo(0.5);
  }

  @Test
  void impossibleValuesAreRefused() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> RateLimit.of(0, second)).hasMessageContaining("must be 1 or greater");
    assertThatThrownBy(() -> new RateLimit(1, Duration.ZERO, 1)).hasMessageContaining("got 0s");
    assertThatThrownBy(() -> new RateLimit(1, Duration.ofDays(40), 1))
        .hasMessageContaining("1ms to 31d");
    assertThatThrownBy(() -> new RateLimit(1, second, 0)).hasMessageContaining("burst");
  }
}
