package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.inspect.TaskAction;
import io.asynq4j.testsupport.Glossary;
import io.asynq4j.testsupport.SourceTexts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages, the OpenAPI documents and the Java sources use the terms of the project. */
class GlossaryTest {

  private static final Path WEB = Path.of("src/main/resources/io/asynq4j/dashboard/web");

  private static final Path SOURCES = Path.of("src/main/java");

  private static final List<Path> DOCUMENTS =
      List.of(
          Path.of("src/main/resources/io/asynq4j/dashboard/openapi.yaml"),
          Path.of("../service/src/main/resources/io/asynq4j/service/openapi.json"));

  /** Results of actions on the page, as in {@code const PAST = {archive: 'archived', …};}. */
  private static final Pattern PAST = Pattern.compile("const PAST = \\{(.*?)};");

  private static final Pattern RESULT = Pattern.compile("(\\w+): '([^']+)'");

  @Test
  void pagesUseTheTermsOfTheProject() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(WEB)) {
      files = all.filter(file -> file.toString().matches(".*\\.(js|html)")).toList();
    }
    assertThat(files).hasSizeGreaterThan(30);
    assertThat(violations(files)).isEmpty();
  }

  /** Exceptions, problems, log lines and comments. */
  @Test
  void javaSourcesUseTheTermsOfTheProject() throws IOException {
    assertThat(SourceTexts.violations(SOURCES)).isEmpty();
    assertThat(SourceTexts.violationsInComments(SOURCES)).isEmpty();
  }

  @Test
  void openApiDocumentsUseTheTermsOfTheProject() throws IOException {
    assertThat(violations(DOCUMENTS)).isEmpty();
  }

  @Test
  void pagesNameTheResultsOfActionsAsTheCoreDoes() throws IOException {
    Matcher past = PAST.matcher(Files.readString(WEB.resolve("parts/task-actions.js")));
    assertThat(past.find()).isTrue();
    Map<String, String> results = new HashMap<>();
    RESULT.matcher(past.group(1)).results().forEach(m -> results.put(m.group(1), m.group(2)));

    // "1 task run" would not be understood, and the command line has these words too.
    assertThat(results.remove("run")).isEqualTo("made pending");
    assertThat(results).hasSize(5);
    results.forEach(
        (action, done) ->
            assertThat(Stream.of(TaskAction.values()).filter(a -> a.word().equals(action)))
                .extracting(TaskAction::done)
                .containsExactly(done));
  }

  private static List<String> violations(List<Path> files) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      for (String violation : Glossary.violations(Files.readString(file))) {
        found.add(file + ": " + violation);
      }
    }
    return found;
  }
}
