package io.asynq4j.spring.boot.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** docs/guides/spring-boot.md has the code that is compiled here, and it runs. */
class SpringBootGuideIT {

  private static final Path GUIDE = Path.of("../docs/guides/spring-boot.md");
  private static final Path SOURCES =
      Path.of("../spring-boot/src/test/java/io/asynq4j/spring/boot/guide");

  @TempDir private Path directory;

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(GUIDE))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** The text without indentation. */
  private static String plain(String text) {
    return text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void theCodeOfTheGuideIsCompiledHere() throws IOException {
    List<String> sources;
    try (Stream<Path> files = Files.list(SOURCES)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .map(file -> plain(read(file)))
              .toList();
    }
    assertThat(blocks("java"))
        .hasSizeGreaterThan(2)
        .allSatisfy(
            block ->
                assertThat(sources)
                    // A test on a real Redis has another name here.
                    .anyMatch(
                        source -> source.contains(plain(block.replace("HelloTest", "HelloIT")))));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void thePropertiesOfTheGuideExist() throws IOException {
    String page = Files.readString(Path.of("../docs/reference/spring-boot-properties.md"));
    for (String block : blocks("properties")) {
      Properties properties = new Properties();
      properties.load(new StringReader(block));
      assertThat(properties.stringPropertyNames())
          .filteredOn(name -> name.startsWith("asynq4j."))
          .allSatisfy(name -> assertThat(page).contains("| `" + reference(name) + "` |"));
    }
  }

  /** The name on the page of properties. */
  private static String reference(String property) {
    return property
        .replaceFirst("^asynq4j\\.servers\\.[^.]+\\.", "asynq4j.server.")
        .replaceFirst("\\.queues\\.(\\[[^]]+\\]|[^.]+)\\.", ".queues.NAME.");
  }

  @Test
  void theFirstProgramPrintsWhatTheGuideSays() throws Exception {
    Path log = directory.resolve("log");
    Process hello =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Hello.class.getName(),
                "--asynq4j.embedded=true",
                "--spring.main.web-application-type=none")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      await().untilAsserted(() -> assertThat(Files.readString(log)).contains("\nHello, world!\n"));
      // Servers keep the process alive, and a signal ends it.
      assertThat(hello.isAlive()).isTrue();
      hello.destroy();
      assertThat(hello.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      hello.destroyForcibly();
    }
    assertThat(Files.readString(GUIDE)).contains("It prints `Hello, world!`");
  }

  @Test
  void theCustomizersAreAccepted() {
    new ApplicationContextRunner()
        .withUserConfiguration(Customizing.class)
        .run(context -> assertThat(context).hasNotFailed());
  }
}
