package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationFormatTest {

  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "250ms, PT0.25S",
    "90s, PT1M30S",
    "1.5s, PT1.5S",
    "1h30m, PT1H30M",
    "30m1h, PT1H30M",
    "0.5ms, PT0.0005S",
    "7d, PT168H",
    "2w, PT336H",
    "1w2d3h4m5s6ms, PT219H4M5.006S",
    "2H, PT2H",
    "' 5m ', PT5M",
    "PT90S, PT1M30S",
    "pt90s, PT1M30S",
    "P1D, PT24H",
    "PT-5S, PT-5S",
    "-PT5S, PT-5S",
    "1000000d, PT24000000H"
  })
  void readsEachForm(String text, Duration expected) {
    assertThat(DurationFormat.parse(text)).isEqualTo(expected);
    assertThat(DurationFormat.tryParse(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "-5s",
        "s",
        "5 s",
        "1.s",
        ".5s",
        "1,5s",
        "5apples",
        "5s!",
        "1h 30m",
        "5y",
        "1e3s",
        "PT",
        "P1Y",
        "1000001d",
        "999999999999w",
        "PT99999999999999999H",
        "٣s"
      })
  void refusesEverythingElse(String text) {
    assertThat(DurationFormat.tryParse(text)).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> DurationFormat.parse(text));
  }

  @Test
  void reportsTheValueTheFormAndExamples() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DurationFormat.parse("5 apples\n"))
        .withMessage(
            "\"5 apples\\n\" is not a duration; write it with units, such as 250ms, 90s, 1h30m,"
                + " 7d or PT90S, and 1,000,000 days at most");
  }

  @Test
  void readsWhatItWrites() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      long nanos = random.nextLong() >>> random.nextInt(60);
      Duration duration = Duration.ofNanos(i % 10 == 0 ? -nanos : nanos);
      assertThat(DurationFormat.parse(DurationFormat.format(duration))).isEqualTo(duration);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s, 0s",
    "PT0.35S, 350ms, 350ms",
    "PT0.0000015S, 0.0015ms, 1ms",
    "PT65S, 1m5s, 1m5s",
    "PT60M, 1h, 1h",
    "PT93784.5S, 1d2h3m4s500ms, 1d2h",
    "PT-65S, PT-1M-5S, -1m5s"
  })
  void writesExactlyAndRoughly(Duration duration, String exact, String rough) {
    assertThat(DurationFormat.format(duration)).isEqualTo(exact);
    assertThat(DurationFormat.approximate(duration)).isEqualTo(rough);
  }
}
