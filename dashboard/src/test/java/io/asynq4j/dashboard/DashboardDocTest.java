package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.dashboard.internal.api.Exchange;
import io.asynq4j.http.Route;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The reference pages of the dashboard match the code. */
class DashboardDocTest {

  private static final Path HTTP_API = Path.of("../docs/reference/http-api.md");
  private static final Path SETTINGS = Path.of("../docs/reference/dashboard-configuration.md");

  private static final Pattern ROUTE = Pattern.compile("\\| `([A-Z]+ /\\S*)` \\| (\\S+) \\| .*");
  private static final Pattern PROBLEM = Pattern.compile("\\| \\d{3} \\| ([^|]+) \\| .*");
  private static final Pattern SETTING = Pattern.compile("\\| (`[^|]+`) \\| .*");
  private static final Pattern NAME = Pattern.compile("`([\\w.-]+)`");
  private static final Pattern CODE = Pattern.compile("(?:\\d{3},|conflict\\()\\s*\"([\\w-]+)\"");

  /** The part of the page about the dashboard. */
  private static String api() throws IOException {
    String page = Files.readString(HTTP_API);
    return page.substring(page.indexOf("## Dashboard"));
  }

  @Test
  void everyRouteIsOnThePageWithItsRoleAndNothingElse() throws IOException {
    Set<String> routes = new TreeSet<>();
    // Nothing is asked of Redis before the servlet is started.
    try (RedisConnection redis =
            RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1?retryFor=0s"));
        DashboardServlet servlet = Dashboard.builder(redis).servlet()) {
      for (Route<Role, Exchange> route : servlet.application().router().routes()) {
        String role = route.permission() == null ? "–" : route.permission().word();
        routes.add(route.method() + " " + route.path() + " " + role);
      }
    }
    Set<String> listed = new TreeSet<>();
    api()
        .lines()
        .map(ROUTE::matcher)
        .filter(Matcher::matches)
        .forEach(row -> listed.add(row.group(1) + " " + row.group(2)));

    assertThat(listed).isEqualTo(routes);
  }

  @Test
  void everyProblemIsOnThePageAndNothingElse() throws IOException {
    String source =
        Files.readString(
            Path.of("src/main/java/io/asynq4j/dashboard/internal/problem/Problems.java"));
    Set<String> codes =
        CODE.matcher(source)
            .results()
            .map(code -> code.group(1))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(names(api(), PROBLEM)).isEqualTo(codes);
  }

  @Test
  void everySettingIsOnThePageAndNothingElse() throws IOException {
    Set<String> settings = new TreeSet<>();
    addSettings(settings, "", Dashboard.Builder.class);
    settings.removeAll(Set.of("contents", "access"));
    addSettings(settings, "contents.", DashboardContents.class);
    addSettings(settings, "access.", DashboardAccess.class);

    assertThat(names(Files.readString(SETTINGS), SETTING)).isEqualTo(settings);
  }

  private static void addSettings(Set<String> settings, String topic, Class<?> type) {
    Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.getReturnType() == type)
        .forEach(method -> settings.add(topic + method.getName()));
  }

  /** The names in the cells that the first group of a row matches. */
  private static Set<String> names(String page, Pattern row) {
    return page.lines()
        .map(row::matcher)
        .filter(Matcher::matches)
        .flatMap(cell -> NAME.matcher(cell.group(1)).results())
        .map(name -> name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
