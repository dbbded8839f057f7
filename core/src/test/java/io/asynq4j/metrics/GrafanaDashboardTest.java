package io.asynq4j.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard queries only existing metrics. That docs/reference/metrics.md names exactly what is
 * exported is held by MetricsIT.
 */
class GrafanaDashboardTest {

  private static final Pattern NAME = Pattern.compile("asynq_[a-z_]+");
  private static final Pattern ROW = Pattern.compile("\\| (`asynq_.*?) \\| ([a-z, ]*)\\|");

  /** A name with what it is asked for, such as {@code asynq_up} or {@code asynq_tasks{a="b"}}. */
  private static final Pattern SELECTOR = Pattern.compile("(asynq_[a-z_]+)(\\{([^}]*)})?");

  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");

  /** Every histogram has it, whatever its labels. */
  private static final String BUCKET = "le";

  private static JsonNode board() throws IOException {
    return JsonMapper.shared().readTree(Files.readString(Path.of("../docs/grafana/asynq4j.json")));
  }

  /** The documented names with their labels. */
  private static Map<String, Set<String>> documented() throws IOException {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of("../docs/reference/metrics.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.lookingAt()) {
        Matcher name = NAME.matcher(row.group(1));
        while (name.find()) {
          labels.put(name.group(), words(row.group(2)));
        }
      }
    }
    return labels;
  }

  private static Set<String> words(String list) {
    Set<String> words = new TreeSet<>(List.of(list.trim().split(", *", -1)));
    words.remove("");
    return words;
  }

  private static String family(String name) {
    return name.replaceAll("_(bucket|count|sum)$", "");
  }

  @Test
  void everyExpressionNamesMetricsAndLabelsThatThereAre() throws Exception {
    Map<String, Set<String>> documented = documented();
    assertThat(documented).hasSizeGreaterThan(25);
    List<String> expressions = board().findValuesAsString("expr");
    assertThat(expressions).hasSizeGreaterThan(20);
    for (String expression : expressions) {
      Set<String> known = new HashSet<>(Set.of(BUCKET));
      Matcher selector = SELECTOR.matcher(expression);
      int count = 0;
      while (selector.find()) {
        count++;
        String family = family(selector.group(1));
        assertThat(documented).as(expression).containsKey(family);
        Set<String> labels = documented.getOrDefault(family, Set.of());
        known.addAll(labels);
        String asked = selector.group(3) == null ? "" : selector.group(3);
        assertThat(labels).as(expression).containsAll(words(asked.replaceAll("=~?\"[^\"]*\"", "")));
      }
      assertThat(count).as(expression).isPositive();
      Matcher by = BY.matcher(expression);
      while (by.find()) {
        assertThat(known).as(expression).containsAll(words(by.group(1)));
      }
      assertThat(expression.chars().filter(c -> c == '(').count())
          .as(expression)
          .isEqualTo(expression.chars().filter(c -> c == ')').count());
    }
  }

  @Test
  void onlyCountersAreCountedUp() throws Exception {
    for (String expression : board().findValuesAsString("expr")) {
      Matcher counted = Pattern.compile("(rate|increase)\\((asynq_[a-z_]+)").matcher(expression);
      while (counted.find()) {
        assertThat(counted.group(2)).as(expression).matches(".*_(total|bucket|count|sum)");
      }
    }
  }

  @Test
  void whatIsChosenFromComesFromMetricsToo() throws Exception {
    Map<String, Set<String>> documented = documented();
    List<String> queries =
        board()
            .at("/templating/list")
            .valueStream()
            .filter(variable -> variable.path("type").asString("").equals("query"))
            .map(variable -> variable.path("query").asString(""))
            .toList();
    assertThat(queries).hasSize(2);
    for (String query : queries) {
      Matcher values =
          Pattern.compile("label_values\\((asynq_[a-z_]+), ([a-z]+)\\)").matcher(query);
      assertThat(values.matches()).as(query).isTrue();
      assertThat(documented.get(family(values.group(1)))).as(query).contains(values.group(2));
    }
  }

  @Test
  void grafanaFindsWhatItNeedsAndNothingLiesUponAnother() throws Exception {
    JsonNode board = board();
    assertThat(board.path("schemaVersion").asInt(0)).isBetween(36, 50);
    assertThat(board.path("title").asString("")).isNotEmpty();
    assertThat(board.path("uid").asString("")).matches("[A-Za-z0-9_-]{1,40}");
    Set<Integer> ids = new HashSet<>();
    Set<String> taken = new HashSet<>();
    assertThat(board.path("panels").size()).isGreaterThan(15);
    for (JsonNode panel : board.path("panels")) {
      String title = panel.path("title").asString("");
      assertThat(title).isNotEmpty();
      assertThat(ids.add(panel.path("id").asInt(0))).as(title).isTrue();
      assertThat(panel.path("type").asString("")).as(title).isIn("stat", "timeseries");
      assertThat(panel.at("/datasource/uid").asString("")).as(title).isEqualTo("${datasource}");
      assertThat(panel.path("targets").size()).as(title).isPositive();
      JsonNode place = panel.path("gridPos");
      int x = place.path("x").asInt(-1);
      int y = place.path("y").asInt(-1);
      assertThat(x).as(title).isNotNegative();
      assertThat(y).as(title).isNotNegative();
      assertThat(x + place.path("w").asInt(99)).as(title).isLessThanOrEqualTo(24);
      for (int i = x; i < x + place.path("w").asInt(0); i++) {
        for (int j = y; j < y + place.path("h").asInt(0); j++) {
          assertThat(taken.add(i + "," + j)).as(title).isTrue();
        }
      }
    }
  }
}
