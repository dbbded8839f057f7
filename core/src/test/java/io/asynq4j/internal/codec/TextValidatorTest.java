package io.asynq4j.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextValidatorTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "ä€", "😀", "a😀b😀", "\u0000"})
  void textWithoutHalvesIsValid(String text) {
    assertThat(TextValidator.requireValidUnicode(text, "it")).isEqualTo(text);
  }

  @Test
  void halfASurrogatePairIsRefusedWhereverItStands() {
    for (String text :
        new String[] {"\ud83d", "\ude00", "a\ud83d", "\ud83da", "\ude00\ud83d", "😀\ude00"}) {
      assertThatThrownBy(() -> TextValidator.requireValidUnicode(text, "it"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("it is not valid Unicode");
    }
  }
}
