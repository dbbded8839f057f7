package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProblemTest {

  @Test
  void isNotChangedByWhatIsAdded() {
    Problem problem = new Problem(429, "too-many", "Too much", "Wait.");
    Problem more =
        problem
            .forField("a")
            .retryAfter(Duration.ofMillis(2_500))
            .with("b", 1)
            .withHeader("Allow", "GET");
    assertThat(problem.field()).isNull();
    assertThat(problem.extras()).isEmpty();
    assertThat(problem.headers()).isEmpty();
    assertThat(more.status()).isEqualTo(429);
    assertThat(more.code()).isEqualTo("too-many");
    assertThat(more.title()).isEqualTo("Too much");
    assertThat(more.detail()).isEqualTo("Wait.");
    assertThat(more.field()).isEqualTo("a");
    assertThat(more.extras()).containsEntry("b", 1);
    assertThat(more.headers()).containsEntry("Allow", "GET").containsEntry("Retry-After", "2");
  }

  @Test
  void asksForASecondAtLeast() {
    assertThat(new Problem(503, "busy", "").retryAfter(Duration.ZERO).headers())
        .containsEntry("Retry-After", "1");
  }
}
