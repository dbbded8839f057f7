package io.asynq4j.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Report of a load program. Not thread-safe. */
public final class LoadReport {

  private final String program;
  private final Map<String, Object> figures = new LinkedHashMap<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<Threshold> bars = new ArrayList<>();

  public LoadReport(String program) {
    this.program = program;
  }

  /** Adds a figure at the top of the JSON object; a later one with the same name replaces it. */
  public void figure(String name, Object value) {
    figures.put(name, value);
  }

  public void table(String title, List<String> columns, List<List<Object>> rows) {
    tables.add(new Table(title, columns, rows));
  }

  public void bar(Threshold bar) {
    bars.add(bar);
  }

  public boolean hasMissed() {
    return bars.stream().anyMatch(bar -> !bar.passed());
  }

  /**
   * Formats the report as Markdown.
   *
   * @param judged whether the sizes are large enough for thresholds to be meaningful
   */
  public String markdown(Map<String, String> environment, boolean judged) {
    StringBuilder text = new StringBuilder(new Report(environment, tables, List.of()).markdown());
    // Every threshold with its figure, met or missed.
    text.setLength(text.lastIndexOf("\n") + 1);
    if (!judged && !bars.isEmpty()) {
      text.append("Not at full size; the thresholds are not meaningful:\n\n");
    }
    bars.forEach(bar -> text.append("- ").append(bar).append('\n'));
    return text.toString();
  }

  public String json(Map<String, String> environment) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("program", program);
    all.putAll(figures);
    all.put("environment", environment);
    all.put("tables", tables);
    all.put("bars", bars);
    return JsonMapper.builder().build().writeValueAsString(all);
  }
}
