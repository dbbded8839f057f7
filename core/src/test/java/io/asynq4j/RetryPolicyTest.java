package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  private static final Task TASK = Task.of("t");

  private static Duration delay(RetryPolicy policy, int retried) {
    return policy.delay(retried, new Exception(), TASK);
  }

  @Test
  void theStandardDelayGrowsAsTheOriginalsDoes() {
    for (int n = 0; n <= 25; n++) {
      long least = (long) n * n * n * n + 15;
      long smallest = Long.MAX_VALUE;
      long largest = 0;
      for (int i = 0; i < 2_000; i++) {
        Duration delay = delay(RetryPolicy.standard(), n);
        assertThat(delay).isEqualTo(Duration.ofSeconds(delay.toSeconds()));
        assertThat((delay.toSeconds() - least) % (n + 1)).isZero();
        smallest = Math.min(smallest, delay.toSeconds());
        largest = Math.max(largest, delay.toSeconds());
      }
      // Of 2,000 draws from 30 values, the chance that one end is never drawn is below 1e-28.
      assertThat(smallest).as("least for %d", n).isEqualTo(least);
      assertThat(largest).as("most for %d", n).isEqualTo(least + 29L * (n + 1));
    }
  }

  @Test
  void theStandardDelayStaysATimeHoweverManyRetriesThereWere() {
    assertThat(delay(RetryPolicy.standard(), Integer.MAX_VALUE))
        .isBetween(Duration.ofDays(1_157), Duration.ofDays(1_158));
  }

  @Test
  void aFixedDelayIsAlwaysTheSame() {
    RetryPolicy fixed = RetryPolicy.fixed(Duration.ofMillis(1_500));

    assertThat(delay(fixed, 0)).isEqualTo(Duration.ofMillis(1_500));
    assertThat(delay(fixed, 1_000)).isEqualTo(Duration.ofMillis(1_500));
    assertThat(delay(RetryPolicy.fixed(Duration.ZERO), 3)).isZero();
    assertThatThrownBy(() -> RetryPolicy.fixed(Duration.ofMillis(-1)))
        .hasMessageContaining("delay must not be negative, got PT-0.001S");
  }

  @Test
  void anExponentialDelayDoublesUpToItsLimit() {
    RetryPolicy doubling = RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1));

    for (int i = 0; i < 200; i++) {
      assertThat(delay(doubling, 0)).isBetween(Duration.ofMillis(900), Duration.ofMillis(1_100));
      assertThat(delay(doubling, 3)).isBetween(Duration.ofMillis(7_200), Duration.ofMillis(8_800));
      assertThat(delay(doubling, 6)).isBetween(Duration.ofSeconds(54), Duration.ofSeconds(60));
      assertThat(delay(doubling, 5_000)).isBetween(Duration.ofSeconds(54), Duration.ofSeconds(60));
    }
  }

  @Test
  void exponentialDelaysOfTasksThatFailedTogetherDiffer() {
    RetryPolicy doubling = RetryPolicy.exponential(Duration.ofMinutes(1), Duration.ofHours(1));

    long different =
        java.util.stream.IntStream.range(0, 100)
            .mapToObj(i -> delay(doubling, 2))
            .distinct()
            .count();

    assertThat(different).isGreaterThan(50);
  }

  @Test
  void anExponentialDelayNeedsAUsefulRange() {
    assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ZERO, Duration.ofSeconds(1)))
        .hasMessageContaining(
            "first must be 1 ms or longer, and not longer than longest, got PT0S and PT1S");
    assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ofNanos(1), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
