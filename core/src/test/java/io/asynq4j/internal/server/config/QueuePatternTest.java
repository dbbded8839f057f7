package io.asynq4j.internal.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import org.junit.jupiter.api.Test;

class QueuePatternTest {

  @Test
  void aPatternFitsFromBeginToEnd() {
    QueuePattern pattern = QueuePattern.of("tenant-*:mail", 2);

    assertThat(pattern.matches(QueueName.of("tenant-1:mail"))).isTrue();
    assertThat(pattern.matches(QueueName.of("tenant-:mail"))).isTrue();
    assertThat(pattern.matches(QueueName.of("tenant-1:mail2"))).isFalse();
    assertThat(pattern.matches(QueueName.of("x-tenant-1:mail"))).isFalse();
  }

  @Test
  void aPatternWithoutAStarOrWithoutWeightIsRefused() {
    assertThatThrownBy(() -> QueuePattern.of("mail", 1)).hasMessageContaining("needs a *");
    assertThatThrownBy(() -> QueuePattern.of("mail*", 0)).hasMessageContaining("1 or greater");
  }
}
