package io.asynq4j.benchmarks.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.benchmarks.report.Report;
import io.asynq4j.benchmarks.report.Table;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.internal.redis.script.ShippedScripts;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The program measures all scripts; the results are not checked. */
class ScriptBenchmarkIT {

  private static Report report;

  @BeforeAll
  static void run() {
    report = ScriptBenchmark.run(ScriptBenchmarkOptions.parse(List.of("--quick")));
  }

  @Test
  void everyScriptHasItsRow() throws Exception {
    Set<String> measured =
        report.tables().get(0).rows().stream()
            .flatMap(row -> scriptsOf(row.get(0).toString()).stream())
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(measured).isEqualTo(scripts());
  }

  /** A name starts with its scripts, as in {@code task + update, for some}. */
  private static List<String> scriptsOf(String name) {
    return List.of(name.replaceFirst(",.*", "").split(" \\+ ", -1));
  }

  private static Set<String> scripts() throws IOException, URISyntaxException {
    URI folder = ShippedScripts.class.getResource("lua").toURI();
    if (folder.getScheme().equals("jar")) {
      try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of())) {
        return scripts(jar.provider().getPath(folder));
      }
    }
    return scripts(Path.of(folder));
  }

  private static Set<String> scripts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString().replace(".lua", ""))
          .filter(name -> !name.equals("prelude"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void ratesAndTimesArePositive() {
    for (List<Object> row : report.tables().get(0).rows()) {
      assertThat((Double) row.get(2)).as("calls/s of %s", row).isPositive();
      assertThat((Double) row.get(3)).as("tasks/s of %s", row).isPositive();
      assertThat((Double) row.get(4)).as("CPU of Redis for %s", row).isPositive();
      assertThat((Double) row.get(5)).as("time in the script for %s", row).isPositive();
    }
    for (Table table : report.tables().subList(1, 3)) {
      for (List<Object> row : table.rows()) {
        if (row.get(0).toString().startsWith("for comparison")) {
          continue;
        }
        assertThat((Double) row.get(2)).as("%s: %s", table.title(), row).isPositive();
        assertThat((Double) row.get(3)).as("%s: %s", table.title(), row).isPositive();
      }
    }
  }

  @Test
  void aTaskTakesMoreMemoryThanIsStored() {
    List<List<Object>> rows = report.tables().get(4).rows();

    assertThat((Double) rows.get(rows.size() - 1).get(1)).isBetween(1.0, 10.0);
  }

  @Test
  void everyPromiseHasAThreshold() {
    assertThat(report.bars())
        .extracting(Threshold::what)
        .anyMatch(what -> what.startsWith("claim/"))
        .anyMatch(what -> what.startsWith("complete, oldest first/"))
        .anyMatch(what -> what.startsWith("enqueue, p99.9"));
  }

  @Test
  void theReportIsTextOrJson() {
    assertThat(report.markdown()).contains("### Every script", "| enqueue | 1 |");
    assertThat(report.json()).contains("\"title\":\"Every script\"");
  }

  @Test
  void anUnknownOptionIsRefused() {
    assertThatThrownBy(() -> ScriptBenchmarkOptions.parse(List.of("--fast")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--fast");
  }
}
