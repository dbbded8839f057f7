package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitTest {

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
    assertThatThrownBy(() -> RateLimit.of(0, second)).hasMessageContaining("one task or more");
    assertThatThrownBy(() -> new RateLimit(1, Duration.ZERO, 1)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> new RateLimit(1, Duration.ofDays(40), 1))
        .hasMessageContaining("31 days");
    assertThatThrownBy(() -> new RateLimit(1, second, 0)).hasMessageContaining("burst");
  }
}
