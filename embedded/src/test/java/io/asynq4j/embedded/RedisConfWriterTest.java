package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisConfWriterTest {

  @Test
  void anythingCanBeQuoted() {
    assertThat(RedisConfWriter.quote("a b\"c\\d\né")).isEqualTo("\"a b\\\"c\\\\d\\x0a\\xc3\\xa9\"");
  }

  @Test
  void anEmptyValueIsWrittenAsOne() {
    assertThat(new RedisConfWriter().line("save", "")).hasToString("save \"\"\n");
  }
}
