package io.asynq4j.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class TimeMathTest {

  private static final Instant NOON = Instant.parse("2100-01-01T12:00:00Z");
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void whateverIsReadBecomesTheNearestTimeThatCanBeExpressed() {
    for (double beyond : new double[] {1e12, 1e17, 1e300, Double.POSITIVE_INFINITY}) {
      assertThat(TimeMath.ofSeconds(beyond)).isEqualTo(TimeMath.LATEST);
      assertThat(TimeMath.ofSeconds(-beyond)).isEqualTo(TimeMath.EARLIEST);
      assertThat(TimeMath.ofMillis(beyond * 1000)).isEqualTo(TimeMath.LATEST);
      assertThat(TimeMath.ofMillis(-beyond * 1000)).isEqualTo(TimeMath.EARLIEST);
    }
    assertThat(TimeMath.ofSeconds(Double.NaN)).isEqualTo(Instant.EPOCH);
    assertThat(TimeMath.ofSeconds(NOON.getEpochSecond() + 0.75)).isEqualTo(NOON);
    assertThat(TimeMath.ofMillis(NOON.toEpochMilli() + 7.0)).isEqualTo(NOON.plusMillis(7));
    assertThat(TimeMath.within(Instant.MAX)).isEqualTo(TimeMath.LATEST);
    assertThat(TimeMath.within(Instant.MIN)).isEqualTo(TimeMath.EARLIEST);
  }

  @Test
  void sumsAndDifferencesStayWithinWhatCanBeExpressed() {
    assertThat(TimeMath.plus(NOON, Duration.ofDays(1))).isEqualTo(NOON.plusSeconds(86_400));
    assertThat(TimeMath.minus(NOON, Duration.ofDays(1))).isEqualTo(NOON.minusSeconds(86_400));
    for (Instant time : new Instant[] {NOON, TimeMath.LATEST, TimeMath.EARLIEST}) {
      assertThat(TimeMath.plus(time, FOREVER)).isEqualTo(TimeMath.LATEST);
      assertThat(TimeMath.minus(time, FOREVER)).isEqualTo(TimeMath.EARLIEST);
      assertThat(TimeMath.plus(time, Duration.ofSeconds(Long.MIN_VALUE)))
          .isEqualTo(TimeMath.EARLIEST);
    }
  }

  @Test
  void aWaitIsNeverLongerThanATimerCanMeasure() {
    assertThat(TimeMath.nanos(Duration.ofMillis(5))).isEqualTo(5_000_000);
    assertThat(TimeMath.nanos(FOREVER)).isPositive().isEqualTo(Long.MAX_VALUE / 4);
    assertThat(TimeMath.nanos(Duration.ofSeconds(Long.MIN_VALUE))).isNegative();
    assertThat(TimeMath.nanosUntil(TimeMath.LATEST, NOON)).isEqualTo(Long.MAX_VALUE / 4);
    assertThat(TimeMath.nanosUntil(TimeMath.EARLIEST, NOON)).isEqualTo(-Long.MAX_VALUE / 4);
  }

  @Test
  void aTimeThatCannotBeExpressedIsRefusedWithTheBounds() {
    assertThat(TimeMath.require(TimeMath.LATEST, "it")).isEqualTo(TimeMath.LATEST);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeMath.require(Instant.MAX, "the time of a task"))
        .withMessageStartingWith(
            "the time of a task must be 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z, got +");
  }
}
