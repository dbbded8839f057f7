package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asynq4j.handler.Outcome;
import io.asynq4j.server.TaskServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The snippets of the documentation work. */
class SnippetsIT {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Path WORKERS = Path.of("workers");

  @TempDir private Path directory;

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    fixture.start(
        """
        tasks:
          dumpfeature: { kind: worker, retention: 1h }
          thumbnail: { kind: worker, retention: 1h }
        """);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private static List<String> blocks(String document, String language) throws IOException {
    Matcher fences =
        Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(DOCS.resolve(document)));
    List<String> blocks = new ArrayList<>();
    while (fences.find()) {
      blocks.add(fences.group(1));
    }
    return blocks;
  }

  private static void assumeProgram(String name) {
    Optional<Path> found =
        List.of(System.getenv("PATH").split(File.pathSeparator, -1)).stream()
            .map(each -> Path.of(each, name))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(
        found.isPresent(), "snippets for %s are not tested: it is not installed".formatted(name));
  }

  private Process run(String interpreter, String name, String block) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, block.replace("http://localhost:8080", fixture.url()));
    return new ProcessBuilder(interpreter, file.toString())
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(name + ".out").toFile())
        .start();
  }

  @ParameterizedTest
  @CsvSource({"sh, sh", "python, python3", "php, php"})
  void tasksAreSubmittedAsTheDocumentShows(String language, String interpreter) throws Exception {
    assumeProgram(language.equals("sh") ? "curl" : interpreter);
    List<String> blocks = blocks("guides/service.md", language);
    assertThat(blocks).hasSize(1);
    try (TaskServer server =
        TaskServer.fromDefinitions(
            fixture.redis,
            List.of(),
            Map.of("dumpfeature", (task, context) -> Outcome.done(Map.of("dumped", 7))))) {
      server.start();
      Process process = run(interpreter, "snippet", blocks.get(0));
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      String output = Files.readString(directory.resolve("snippet.out"));
      assertThat(process.exitValue()).as(output).isZero();
      assertThat(output).contains("dumped");
    }
  }

  @ParameterizedTest
  @CsvSource({"python, python3, asynq_worker.py", "php, php, asynq_worker.php"})
  void aWorkerWorksAsTheDocumentShows(String language, String interpreter, String worker)
      throws Exception {
    assumeProgram(interpreter);
    List<String> blocks = blocks("reference/lease-protocol.md", language);
    assertThat(blocks).hasSize(1);
    Files.copy(WORKERS.resolve(worker), directory.resolve(worker));
    Process process = run(interpreter, "snippet", blocks.get(0));
    try {
      fixture.post("/v1/tasks", "{\"name\":\"thumbnail\",\"id\":\"1\",\"params\":{\"width\":21}}");
      assertThat(fixture.get("/v1/tasks/1?wait=20s").at("/task/result/size").intValue())
          .as(Files.readString(directory.resolve("snippet.out")))
          .isEqualTo(42);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void theFileThatTheDocumentBeginsWithIsFine() throws IOException {
    String first = blocks("guides/service.md", "yaml").get(0);
    ServiceConfig config =
        ServiceConfig.parse("asynq.yaml", first, Map.of("MAIL_SECRET", "0123456789abcdef"));
    assertThat(config.taskNames()).containsExactlyInAnyOrder("welcome-mail", "dumpfeature");
  }

  @Test
  void everyKeyOfTheFileIsInTheDocument() throws IOException {
    String document = Files.readString(DOCS.resolve("reference/service-configuration.md"));
    Path service = Path.of("src/main/java/io/asynq4j/service");
    String sources =
        Files.readString(service.resolve("config/TaskSectionReader.java"))
            + Files.readString(service.resolve("config/GearmanSectionReader.java"))
            + Files.readString(service.resolve("ConfigurationReader.java"));
    Matcher keys =
        Pattern.compile(
                "\\.(?:text|texts|textMap|json|flag|size|integer|duration|choice|required|section|sections)"
                    + "\\(\\s*\"(\\w+)\"")
            .matcher(sources);
    int count = 0;
    while (keys.find()) {
      count++;
      assertThat(document).as(keys.group(1)).containsPattern("\\b" + keys.group(1) + "\\b");
    }
    assertThat(count).isGreaterThan(40);
  }
}
