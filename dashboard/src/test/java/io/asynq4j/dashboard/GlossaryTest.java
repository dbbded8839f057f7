package io.asynq4j.dashboard;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /** Forbidden phrases, each with its replacement. */
  private static final Map<Pattern, String> FORBIDDEN =
      Map.ofEntries(
          phrase("nobody|somebody|anybody|everybody|whoever", "the user, the caller, a worker"),
          phrase("so many|so long|so often", "the number, for this long, this many times"),
          phrase("tells?|told", "returns, reports, sends"),
          phrase("he may|for him", "the user may"),
          phrase("looks? (at|for|through|again|further)|looked (at|for)", "scan, read, search"),
          phrase("goes on|go on|went on|gone on", "continue"),
          phrase("makes? no sense", "invalid, with the field and the reason"),
          phrase("what becomes? of|what became of", "result, what happens to"),
          phrase("gone for good|for good|is gone", "permanently deleted"),
          phrase("is there already|there is no such|is not here", "already exists, not found"),
          phrase("hands? in|handed in|taken in", "enqueue"),
          phrase("puts? back|gives? back", "requeue"),
          phrase("when missing|when not said|unless set", "Default: value"),
          phrase("just now[,;]|anew", "currently, again"),
          phrase("(task|tasks) chosen|chosen tasks?", "selected"),
          phrase("all that is known|nothing is known", "all details, no data"));

  private static Map.Entry<Pattern, String> phrase(String regex, String plain) {
    return entry(Pattern.compile("\\b(?:" + regex + ")\\b", Pattern.CASE_INSENSITIVE), plain);
  }

  @Test
  void pagesUseTheTermsOfTheProject() throws IOException {
    List<Path> files = files(WEB, "js|html|css");
    assertThat(files).hasSizeGreaterThan(30);
    assertThat(violations(files)).isEmpty();
  }

  /** Exceptions, problems, log lines and comments, but also names. */
  @Test
  void javaSourcesUseTheTermsOfTheProject() throws IOException {
    List<Path> files = files(SOURCES, "java");
    assertThat(files).hasSizeGreaterThan(60);
    assertThat(violations(files)).isEmpty();
  }

  @Test
  void openApiDocumentsUseTheTermsOfTheProject() throws IOException {
    assertThat(violations(DOCUMENTS)).isEmpty();
  }

  private static List<Path> files(Path directory, String extensions) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> file.toString().matches(".*\\.(" + extensions + ")")).toList();
    }
  }

  private static List<String> violations(List<Path> files) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        int number = i + 1;
        FORBIDDEN.forEach(
            (pattern, plain) ->
                pattern
                    .matcher(line)
                    .results()
                    .map(m -> "%s:%d: \"%s\"; use: %s".formatted(file, number, m.group(), plain))
                    .forEach(found::add));
      }
    }
    return found;
  }
}
