package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** docs/reference/http-api.md lists the routes and problems of the service. */
class HttpApiDocTest {

  private static final Path PAGE = Path.of("../docs/reference/http-api.md");
  private static final Path SOURCES = Path.of("src/main/java/io/asynq4j/service");

  private static final Pattern ROUTE = Pattern.compile("\\| `([A-Z]+ /\\S*)` \\| .*");
  private static final Pattern PROBLEM = Pattern.compile("\\| (\\d{3}) \\| ([^|]+) \\| .*");
  private static final Pattern CODE = Pattern.compile("`([\\w-]+)`");

  /** A problem in the sources; a conflict has no status there. */
  private static final Pattern CREATED =
      Pattern.compile(
          "(?:Problem|notNow)\\(\\s*(\\d{3}),\\s*\"([\\w-]+)\"|conflict\\(\\s*\"([\\w-]+)\"");

  /** The part of the page about the service. */
  private static String page() throws IOException {
    String page = Files.readString(PAGE);
    return page.substring(page.indexOf("## Task service"), page.indexOf("## Dashboard"));
  }

  @Test
  void everyRouteIsOnThePageAndNothingElse() throws IOException {
    Set<String> routes = new TreeSet<>();
    try (InputStream document = TaskService.class.getResourceAsStream("openapi.json")) {
      JsonNode paths = new JsonMapper().readTree(Objects.requireNonNull(document)).get("paths");
      for (String path : paths.propertyNames()) {
        for (String method : paths.get(path).propertyNames()) {
          routes.add(method.toUpperCase(Locale.ROOT) + " " + path);
        }
      }
    }
    Set<String> listed = new TreeSet<>();
    page()
        .lines()
        .map(ROUTE::matcher)
        .filter(Matcher::matches)
        .forEach(m -> listed.add(m.group(1)));

    assertThat(listed).isEqualTo(routes);
  }

  @Test
  void everyProblemIsOnThePageWithItsStatusAndNothingElse() throws IOException {
    Set<String> created = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(SOURCES)) {
      sources
          .filter(path -> path.toString().endsWith(".java"))
          .flatMap(path -> CREATED.matcher(read(path)).results())
          .forEach(
              problem ->
                  created.add(
                      problem.group(3) == null
                          ? problem.group(1) + " " + problem.group(2)
                          : "409 " + problem.group(3)));
    }
    // Others are set by the HTTP server and have the status of the response.
    created.add("400 bad-request");
    created.add("500 internal");
    Set<String> listed = new TreeSet<>();
    page()
        .lines()
        .map(PROBLEM::matcher)
        .filter(Matcher::matches)
        .forEach(
            row ->
                CODE.matcher(row.group(2))
                    .results()
                    .forEach(code -> listed.add(row.group(1) + " " + code.group(1))));

    assertThat(listed).isEqualTo(created);
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
