package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.cli.testing.CliRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command in the documentation is valid. */
class DocumentedCommandsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND = Pattern.compile("^ *(?:\\./)?asynq ([^…]*)$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @TempDir private Path home;

  private CommandLine asynq() {
    ByteArrayOutputStream nowhere = new ByteArrayOutputStream();
    return Asynq.commandLine(new CliRunner(home).environment(nowhere, nowhere));
  }

  /** The lines of code blocks that start with the command. */
  private static List<String> commands(Path file) throws IOException {
    List<String> found = new ArrayList<>();
    boolean isCode = false;
    for (String line : Files.readAllLines(file)) {
      isCode ^= line.strip().startsWith("```");
      Matcher command = COMMAND.matcher(line);
      // The launcher runs the load programs.
      if (isCode && command.matches() && !command.group(1).startsWith("bench")) {
        // Without the trailing comment and the redirection of the shell.
        found.add(command.group(1).strip().replaceAll(" {2,}.*| >> .*", ""));
      }
    }
    return found;
  }

  private static Stream<Path> files() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      List<Path> all =
          new ArrayList<>(docs.filter(file -> file.toString().endsWith(".md")).sorted().toList());
      all.add(0, ROOT.resolve("README.md"));
      return all.stream();
    }
  }

  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(command);
    while (matcher.find()) {
      words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
    }
    return words;
  }

  @TestFactory
  List<DynamicTest> everyCommandInTheDocumentationIsUnderstood() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path file : files().toList()) {
      for (String command : commands(file)) {
        tests.add(
            DynamicTest.dynamicTest(
                file.getFileName() + ": " + command,
                () ->
                    assertThat(asynq().parseArgs(words(command).toArray(String[]::new)).errors())
                        .isEmpty()));
      }
    }
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  /** It needs a terminal, which only DashCommandIT provides. */
  @Test
  void theExamplesOfTheTerminalDashboardAreValid() {
    CommandLine dash = Objects.requireNonNull(asynq().getSubcommands().get("dash"));
    for (String line : dash.getCommandSpec().usageMessage().footer()) {
      if (line.strip().startsWith("asynq ")) {
        String command = line.strip().substring("asynq ".length());
        assertThat(asynq().parseArgs(words(command).toArray(String[]::new)).errors()).isEmpty();
      }
    }
  }

  @Test
  void everyCommandIsInTheDocumentation() throws IOException {
    StringBuilder pages = new StringBuilder();
    for (Path file : files().toList()) {
      pages.append(Files.readString(file));
    }
    asynq()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (!command.getCommandSpec().usageMessage().hidden()) {
                assertThat(pages.toString())
                    .as(name)
                    .containsPattern("`" + name + "\\b|asynq " + name + "\\b");
              }
            });
  }
}
