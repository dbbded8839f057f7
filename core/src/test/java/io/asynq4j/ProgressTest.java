package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ProgressTest {

  @Test
  void whatCannotBeShownIsRefused() {
    assertThatThrownBy(() -> new Progress(-1, "")).hasMessage("percent must be 0 to 100: -1");
    assertThatThrownBy(() -> new Progress(101, "")).hasMessage("percent must be 0 to 100: 101");
    assertThatThrownBy(() -> new Progress(1, "\udc00")).hasMessageContaining("not valid Unicode");
    assertThatThrownBy(() -> new Progress(1, "x".repeat(1_001)))
        .hasMessage("a note of progress must not be longer than 1,000 chars: 1,001");
  }

  @Test
  void theEndsOfTheRangeAreAllowed() {
    assertThat(new Progress(0, "").percent()).isZero();
    assertThat(new Progress(100, "x".repeat(1_000)).note()).hasSize(1_000);
  }
}
