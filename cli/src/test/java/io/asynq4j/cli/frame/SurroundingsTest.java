package io.asynq4j.cli.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SurroundingsTest {

  @Test
  void homeIsWhereTheVariableSaysAndElseWhereTheSystemDoes() {
    assertThat(Surroundings.home(Map.of("HOME", "/srv/ops"))).isEqualTo(Path.of("/srv/ops"));
    assertThat(Surroundings.home(Map.of("HOME", "")))
        .isEqualTo(Surroundings.home(Map.of()))
        .isEqualTo(Path.of(System.getProperty("user.home")));
  }
}
