package io.asynq4j.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LabelLimiterTest {

  @Test
  void theFirstKeepTheirNamesAndTheRestShareOne() {
    LabelLimiter labels = new LabelLimiter(2);

    assertThat(labels.of("a")).isEqualTo("a");
    assertThat(labels.of("b")).isEqualTo("b");
    assertThat(labels.of("c")).isEqualTo("other");
    assertThat(labels.of("a")).isEqualTo("a");
  }
}
