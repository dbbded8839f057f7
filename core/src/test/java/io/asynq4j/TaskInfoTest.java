package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.TaskInfo.Progress;
import org.junit.jupiter.api.Test;

class TaskInfoTest {

  @Test
  void invalidProgressIsRejected() {
    assertThatThrownBy(() -> new Progress(-1, "")).hasMessage("percent must be 0 to 100, got -1");
    assertThatThrownBy(() -> new Progress(101, "")).hasMessage("percent must be 0 to 100, got 101");
    assertThatThrownBy(() -> new Progress(1, "\udc00")).hasMessageContaining("not valid Unicode");
    assertThatThrownBy(() -> new Progress(1, "x".repeat(1_001)))
        .hasMessage("the note of a progress report must have at most 1,000 characters, got 1,001");
  }

  @Test
  void theLimitsOfProgressAreAllowed() {
    assertThat(new Progress(0, "").percent()).isZero();
    assertThat(new Progress(100, "x".repeat(1_000)).note()).hasSize(1_000);
  }
}
