package io.asynq4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CliEnvironmentTest {

  @Test
  void theHomeDirectoryIsReadFromTheVariableOrElseFromTheSystem() {
    assertThat(CliEnvironment.home(Map.of("HOME", "/srv/ops"))).isEqualTo(Path.of("/srv/ops"));
    assertThat(CliEnvironment.home(Map.of("HOME", "")))
        .isEqualTo(CliEnvironment.home(Map.of()))
        .isEqualTo(Path.of(System.getProperty("user.home")));
  }
}
