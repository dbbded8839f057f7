package io.asynq4j.internal.redis.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo.Progress;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressFieldTest {

  @Test
  void whatIsWrittenIsReadAgain() {
    for (Progress progress :
        List.of(
            new Progress(0, ""), new Progress(42, " page 3 of 7 "), new Progress(100, "øk\n"))) {
      assertThat(ProgressField.parse(ProgressField.text(progress))).isEqualTo(progress);
    }
  }

  @Test
  void whatIsNoneOfOursIsNoProgress() {
    for (String text :
        List.of("", "42", "half way", "101 x", "-1 x", " x", "1" + "0".repeat(30) + " x")) {
      assertThat(ProgressField.parse(text)).as(text).isNull();
    }
  }
}
