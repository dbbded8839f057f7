package io.asynq4j.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.testsupport.SourceTexts;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Exceptions, log lines and other messages are in plain English. */
class GlossaryTest {

  @Test
  void messagesContainNoForbiddenWords() throws IOException {
    assertThat(SourceTexts.violations(Path.of("src/main/java"))).isEmpty();
  }
}
