package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a fresh clone: it builds everything there, which takes minutes. */
@EnabledIfSystemProperty(
    named = "asynq4j.full",
    matches = "true",
    disabledReason = "the launcher in a fresh clone: run by ./check --full")
class FreshCloneIT {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int MINUTES = 15;

  @TempDir private Path directory;

  private record Ended(int exitCode, String out, String err) {}

  private Ended run(File where, String... command) throws Exception {
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(where).redirectError(err.toFile());
    // As after a clone: the launcher looks for a JDK itself.
    builder.environment().remove("JAVA_HOME");
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
    return new Ended(process.exitValue(), out, Files.readString(err));
  }

  private Ended asynq(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("./asynq"));
    command.addAll(List.of(words));
    return run(directory.resolve("clone").toFile(), command.toArray(String[]::new));
  }

  @Test
  void aFreshCloneBuildsAndRuns() throws Exception {
    assumeTrue(
        Files.exists(ROOT.resolve(".git")), "the launcher in a fresh clone: this is no clone");
    Ended cloned =
        run(directory.toFile(), "git", "clone", "-q", "--depth", "1", "file://" + ROOT, "clone");
    assertThat(cloned.exitCode()).as(cloned.err()).isZero();

    Ended first = asynq("--version");
    assertThat(first.exitCode()).as(first.err()).isZero();
    assertThat(first.out()).startsWith("asynq4j ");
    assertThat(first.err()).contains("building cli");

    assertThat(asynq("--version")).isEqualTo(new Ended(0, first.out(), ""));
    Ended dev = asynq("dev", "--ephemeral", "--port", "0", "--dashboard-port", "0", "--for", "2s");
    assertThat(dev.exitCode()).as(dev.err()).isZero();
    assertThat(dev.out()).contains("bye");
  }
}
