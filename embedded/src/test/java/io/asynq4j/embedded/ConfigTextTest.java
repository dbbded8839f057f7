package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigTextTest {

  @Test
  void anythingCanBeQuoted() {
    assertThat(ConfigText.quote("a b\"c\\d\né")).isEqualTo("\"a b\\\"c\\\\d\\x0a\\xc3\\xa9\"");
  }

  @Test
  void anEmptyValueIsWrittenAsOne() {
    assertThat(new ConfigText().line("save", "")).hasToString("save \"\"\n");
  }
}
