package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import io.asynq4j.cli.testing.CliRunner.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeCommandTest {

  @TempDir private Path directory;

  private Answer serve(String... arguments) {
    String[] words = new String[arguments.length + 1];
    words[0] = "serve";
    System.arraycopy(arguments, 0, words, 1, arguments.length);
    return new CliRunner(directory).variable("KIND", "worker").run(words);
  }

  @Test
  void checkReportsErrorsWithTheirPositions() throws IOException {
    Path file = directory.resolve("asynq.yaml");
    Files.writeString(file, "tasks:\n  a:\n    kind: wroker\n");
    Answer bad = serve("--config", file.toString(), "--check");
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("asynq.yaml:3:11: tasks.a.kind must be one of");
    Files.writeString(file, "tasks:\n  a:\n    kind: ${KIND}\n");
    Answer good = serve("--config", file.toString(), "--check");
    assertThat(good.exitCode()).isZero();
    assertThat(good.out()).contains("is valid: 1 task\n");
  }

  @Test
  void theHelpListsTheRequiredConfigurationFile() {
    assertThat(serve("--help").out())
        .contains("--config=FILE", "Configuration file of the task service. Required unless")
        .doesNotContain("~/.asynq.yaml");
  }

  @Test
  void theConfigurationFileMayPrecedeTheCommand() throws IOException {
    Path file =
        Files.writeString(directory.resolve("asynq.yaml"), "tasks:\n  a:\n    kind: worker\n");

    Answer answer = new CliRunner(directory).run("--config", file.toString(), "serve", "--check");

    assertThat(answer.exitCode()).as(answer.err()).isZero();
  }

  @Test
  void aMissingFileOrOptionIsReported() {
    assertThat(serve("--check").exitCode()).isEqualTo(2);
    Answer missing = serve("--config", directory.resolve("none.yaml").toString());
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("none.yaml");
  }

  @Test
  void aNewKeyIsPrintedWithItsHash() {
    assertThat(serve("--new-key").out())
        .matches(Pattern.compile("key:  asq_\\S{43} .*\nhash: sha256:[0-9a-f]{64} .*\n"));
  }
}
