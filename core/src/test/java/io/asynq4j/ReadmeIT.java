package io.asynq4j;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.embedded.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the complete programs of the README and of the tutorial, exactly as they are printed. */
class ReadmeIT {

  private static final Path README = Path.of("../README.md");
  private static final Path TUTORIAL = Path.of("../docs/tutorial.md");
  private static final Pattern PROGRAM =
      Pattern.compile("```java\\n(.*?public class (\\w+) .*?)```", Pattern.DOTALL);

  @TempDir private Path directory;

  @Test
  void theProgramOfTheReadmeIsShortAndRuns() throws Exception {
    assertThat(program(README).group(1).lines()).hasSizeLessThan(25);

    assertThat(run(README, List.of(), 1)).containsExactly("Hello, world!");
  }

  @Test
  void theReadmeNamesTheArtifactsThatItsProgramNeeds() throws IOException {
    String readme = Files.readString(README);
    Matcher imported =
        Pattern.compile("import io\\.asynq4j\\.(\\w+)\\.").matcher(program(README).group(1));
    while (imported.find()) {
      String name = imported.group(1);
      boolean isModule = Files.isDirectory(Path.of("..", name, "src/main/java"));
      assertThat(readme)
          .contains("<artifactId>asynq4j-%s</artifactId>".formatted(isModule ? name : "core"));
    }
  }

  @Test
  void theProgramOfTheTutorialPrintsWhatTheTutorialShows() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start()) {
      List<String> lines = run(TUTORIAL, List.of(redis.uri()), 2);

      assertThat(lines).containsExactly("first attempt fails", "sent to user 42");
      assertThat(Files.readString(TUTORIAL)).contains("```\n" + String.join("\n", lines) + "\n```");
    }
  }

  @Test
  void theReadmeStaysShort() throws IOException {
    assertThat(Files.readAllLines(README)).hasSizeLessThan(150);
  }

  private static Matcher program(Path document) throws IOException {
    Matcher program = PROGRAM.matcher(Files.readString(document));
    assertThat(program.find()).as("a program in %s", document).isTrue();
    return program;
  }

  /** Runs the program of a document as a source file until it has printed this many lines. */
  private List<String> run(Path document, List<String> arguments, int count) throws Exception {
    Matcher program = program(document);
    Path source = directory.resolve(program.group(2) + ".java");
    Files.writeString(source, program.group(1));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                source.toString()));
    command.addAll(arguments);
    Path errors = directory.resolve("errors");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      while (lines.size() < count) {
        String line = output.readLine();
        assertThat(line).as("output; errors: %s", Files.readString(errors)).isNotNull();
        lines.add(line);
      }
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends on TERM").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return lines;
  }
}
