package io.asynq4j.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** Results and environment of a measurement. */
public record Report(Map<String, String> environment, List<Table> tables, List<Threshold> bars) {

  public Report {
    tables = List.copyOf(tables);
    bars = List.copyOf(bars);
  }

  public List<Threshold> missed() {
    return bars.stream().filter(bar -> !bar.passed()).toList();
  }

  public String json() {
    return JsonMapper.builder().build().writeValueAsString(this);
  }

  public String markdown() {
    String about =
        environment.entrySet().stream()
            .map(entry -> "- " + entry.getKey() + ": " + entry.getValue())
            .collect(Collectors.joining("\n"));
    String figures = tables.stream().map(Table::markdown).collect(Collectors.joining("\n"));
    String summary =
        missed().isEmpty()
            ? bars.size() + " thresholds met, none missed"
            : bars.stream().map(Threshold::toString).collect(Collectors.joining("\n"));
    return about + "\n\n" + figures + "\n" + summary;
  }
}
