package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of {@code ./check --repeat} and {@code ./check --matrix}, tested by a script. */
class CheckScriptsIT {

  private static final Path TESTS = Path.of("..", ".ci", "test").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void theScriptsPassTheirTests() throws Exception {
    assumeThat(System.getProperty("os.name"))
        .as("a machine with a shell")
        .doesNotContain("Windows");
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(TESTS.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    process.getOutputStream().close();
    boolean hasEnded = process.waitFor(4, TimeUnit.MINUTES);
    process.destroyForcibly();
    String out = Files.readString(output);
    assertThat(hasEnded).as(out).isTrue();

    String failures = out.replaceAll("(?m)^passed .*\n", "");
    assertThat(process.exitValue()).as(failures).isZero();
    assertThat(out).contains("passed repeat_", "passed matrix_");
  }
}
