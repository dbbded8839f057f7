package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogTextTest {

  @ParameterizedTest
  @CsvSource({
    "'email:welcome', 'email:welcome'",
    "'größer als 👍 と', 'größer als 👍 と'",
    "'a\nERROR b', 'a\\nERROR b'",
    "'a\r\tb', 'a\\r\\tb'",
    "'\u001b[2Ja\u0000', '\\u001b[2Ja\\u0000'",
    "'a\u0085b\u2028c\u2029d', 'a\\u0085b\\u2028c\\u2029d'",
    "'a\u202eb\u2066c', 'a\\u202eb\\u2066c'",
    "'a\ud83db', 'a\\ud83db'",
  })
  void whatATerminalObeysIsEscaped(String text, String expected) {
    assertThat(LogText.name(text)).isEqualTo(expected);
  }

  @Test
  void aLongTextIsCut() {
    assertThat(LogText.name("a".repeat(200))).isEqualTo("a".repeat(200));
    assertThat(LogText.name("a".repeat(201))).isEqualTo("a".repeat(200) + "…");
    assertThat(LogText.of("a\nbc", 3)).isEqualTo("a\\nb…");
    assertThat(LogText.of("a👍b", 2)).as("half a pair").isEqualTo("a\\ud83d…");
  }
}
