package io.asynq4j.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The board asks only for what there is. */
class GrafanaBoardTest {

  private static final Pattern NAME = Pattern.compile("asynq_[a-z_]+");

  @Test
  void everyMetricOfTheBoardIsDocumented() throws Exception {
    JsonNode board =
        JsonMapper.shared().readTree(Files.readString(Path.of("../docs/grafana/asynq4j.json")));
    String doc = Files.readString(Path.of("../docs/metrics.md"));
    Set<String> names = new TreeSet<>();
    for (String expression : board.findValuesAsString("expr")) {
      Matcher name = NAME.matcher(expression);
      while (name.find()) {
        names.add(name.group().replaceAll("_(bucket|count|sum)$", ""));
      }
    }

    assertThat(names)
        .hasSizeGreaterThan(15)
        .allSatisfy(name -> assertThat(doc).contains("`" + name + "`"));
  }
}
