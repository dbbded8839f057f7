package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextExcerptTest {

  @Test
  void cutsLongTextsBetweenCharacters() {
    assertThat(TextExcerpt.of("abc", 3)).isEqualTo("abc");
    assertThat(TextExcerpt.of("abcd", 3)).isEqualTo("abc");
    assertThat(TextExcerpt.of("ab😀", 3)).isEqualTo("ab");
    assertThat(TextExcerpt.of("a😀b", 3)).isEqualTo("a😀");
  }
}
