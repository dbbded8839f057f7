package io.asynq4j.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class TimesTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void whateverIsReadBecomesTheNearestTimeThatCanBeExpressed() {
    for (double beyond : new double[] {1e12, 1e17, 1e300, Double.POSITIVE_INFINITY}) {
      assertThat(Times.ofSeconds(beyond)).isEqualTo(Times.LATEST);
      assertThat(Times.ofSeconds(-beyond)).isEqualTo(Times.EARLIEST);
      assertThat(Times.ofMillis(beyond * 1000)).isEqualTo(Times.LATEST);
      assertThat(Times.ofMillis(-beyond * 1000)).isEqualTo(Times.EARLIEST);
    }
    assertThat(Times.ofSeconds(Double.NaN)).isEqualTo(Instant.EPOCH);
    assertThat(Times.ofSeconds(NOON.getEpochSecond() + 0.75)).isEqualTo(NOON);
    assertThat(Times.ofMillis(NOON.toEpochMilli() + 7)).isEqualTo(NOON.plusMillis(7));
    assertThat(Times.within(Instant.MAX)).isEqualTo(Times.LATEST);
    assertThat(Times.within(Instant.MIN)).isEqualTo(Times.EARLIEST);
  }

  @Test
  void sumsAndDifferencesStayWithinWhatCanBeExpressed() {
    assertThat(Times.plus(NOON, Duration.ofDays(1))).isEqualTo(NOON.plusSeconds(86_400));
    assertThat(Times.minus(NOON, Duration.ofDays(1))).isEqualTo(NOON.minusSeconds(86_400));
    for (Instant time : new Instant[] {NOON, Times.LATEST, Times.EARLIEST}) {
      assertThat(Times.plus(time, FOREVER)).isEqualTo(Times.LATEST);
      assertThat(Times.minus(time, FOREVER)).isEqualTo(Times.EARLIEST);
      assertThat(Times.plus(time, Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Times.EARLIEST);
    }
  }

  @Test
  void aWaitIsNeverLongerThanATimerCanTell() {
    assertThat(Times.nanos(Duration.ofMillis(5))).isEqualTo(5_000_000);
    assertThat(Times.nanos(FOREVER)).isPositive().isEqualTo(Long.MAX_VALUE / 4);
    assertThat(Times.nanos(Duration.ofSeconds(Long.MIN_VALUE))).isNegative();
    assertThat(Times.nanosUntil(Times.LATEST, NOON)).isEqualTo(Long.MAX_VALUE / 4);
    assertThat(Times.nanosUntil(Times.EARLIEST, NOON)).isEqualTo(-Long.MAX_VALUE / 4);
  }

  @Test
  void aTimeThatCannotBeExpressedIsRefusedWithTheBounds() {
    assertThat(Times.require(Times.LATEST, "it")).isEqualTo(Times.LATEST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Times.require(Instant.MAX, "the time of a task"))
        .withMessageStartingWith(
            "the time of a task must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z: +");
  }
}
