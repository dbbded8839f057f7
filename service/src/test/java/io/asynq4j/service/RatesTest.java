package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.RateLimit;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RatesTest {

  @ParameterizedTest
  @CsvSource({"100/s, 100, 1000", "30/m, 30, 60000", "5/10s, 5, 10000", "1/250ms, 1, 250"})
  void aRateIsANumberInATime(String text, int tasks, long millis) {
    RateLimit rate = Rates.parse(text, Optional.empty());
    assertThat(rate.tasks()).isEqualTo(tasks);
    assertThat(rate.per()).isEqualTo(Duration.ofMillis(millis));
    assertThat(Rates.parse(Rates.text(rate), Optional.of(rate.burst()))).isEqualTo(rate);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5/", "/s", "-1/s", "5/year", "0/s", "5/0s"})
  void somethingElseIsRefused(String text) {
    assertThatThrownBy(() -> Rates.parse(text, Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theBurstCanBeSaid() {
    assertThat(Rates.parse("5/s", Optional.of(7)).burst()).isEqualTo(7);
  }
}
