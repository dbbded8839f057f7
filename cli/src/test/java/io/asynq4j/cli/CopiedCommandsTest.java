package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.testing.CliRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The commands that the dashboard offers to copy are valid. */
class CopiedCommandsTest {

  /** The tests of the dashboard check that the pages offer exactly these. */
  private static final Path COMMANDS =
      Path.of("../dashboard/src/test/resources/io/asynq4j/dashboard/copied-commands.txt");

  /** A word of a shell: a sequence of quoted and unquoted pieces. */
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\\\\.|[^\\s'\\\\])+");

  private static final Pattern PIECE = Pattern.compile("'([^']*)'|\\\\(.)|([^'\\\\]+)");

  @TempDir private Path home;

  @TestFactory
  Stream<DynamicTest> isParsedUntilItNeedsRedis() throws IOException {
    List<String> lines =
        Files.readAllLines(COMMANDS).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .toList();
    assertThat(lines).hasSizeGreaterThan(25);
    return lines.stream()
        .flatMap(line -> Arrays.stream(line.split(" (?:&&|\\|) ", -1)))
        .filter(command -> command.startsWith("asynq "))
        .distinct()
        .map(command -> DynamicTest.dynamicTest(command, () -> understand(command)));
  }

  private void understand(String command) {
    List<String> words = words(command);
    words.remove(0);
    // No Redis runs there: a valid command fails only when it connects.
    CliRunner cli =
        new CliRunner(home).variable("ASYNQ_REDIS_URL", "redis://127.0.0.1:1?retryFor=0s");

    CliRunner.Answer answer = cli.input("bytes").run(words.toArray(String[]::new));

    assertThat(answer.exitCode()).as(answer.err()).isEqualTo(ExitCode.CANNOT_CONNECT);
  }

  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      StringBuilder text = new StringBuilder();
      Matcher piece = PIECE.matcher(word.group());
      while (piece.find()) {
        for (int group = 1; group <= 3; group++) {
          text.append(piece.group(group) == null ? "" : piece.group(group));
        }
      }
      words.add(text.toString());
    }
    return words;
  }
}
