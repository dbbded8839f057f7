package io.asynq4j.benchmarks.report;

import io.asynq4j.benchmarks.harness.Measurement;
import java.util.ArrayList;
import java.util.List;

/** Table of rates, and resource usage per task. */
public final class RateTable {

  private static final List<String> COLUMNS =
      List.of("what", "tasks", "tasks/s", "Redis CPU µs/task", "JVM CPU µs/task");

  private final List<List<Object>> rows = new ArrayList<>();
  private final List<String> more;

  /**
   * @param more additional columns
   */
  public RateTable(String... more) {
    this.more = List.of(more);
  }

  public void add(String what, Measurement cell, Object... rest) {
    List<Object> row = new ArrayList<>();
    row.add(what);
    row.add(cell.tasks());
    row.add(cell.tasksPerSecond());
    row.add(cell.redisMicrosPerTask());
    row.add(cell.jvmMicrosPerTask());
    row.addAll(List.of(rest));
    while (row.size() < COLUMNS.size() + more.size()) {
      row.add("");
    }
    rows.add(row);
  }

  public void into(LoadReport report, String title) {
    List<String> columns = new ArrayList<>(COLUMNS);
    columns.addAll(more);
    report.table(title, columns, rows);
  }
}
