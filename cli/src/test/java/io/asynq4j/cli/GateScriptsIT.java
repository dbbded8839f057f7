package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The scripts of {@code ./check --repeat} and {@code ./check --matrix}, tested by a script. */
class GateScriptsIT {

  private static final Path TESTS = Path.of("..", ".ci", "test").toAbsolutePath().normalize();

  @Test
  void theScriptsPassTheirTests() throws Exception {
    assumeThat(System.getProperty("os.name"))
        .as("a machine with a shell")
        .doesNotContain("Windows");
    Process process = new ProcessBuilder(TESTS.toString()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

    String failures = out.replaceAll("(?m)^passed .*\n", "");
    assertThat(process.exitValue()).as(failures).isZero();
    assertThat(out).contains("passed repeat_", "passed matrix_");
  }
}
