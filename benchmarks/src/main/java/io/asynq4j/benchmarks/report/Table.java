package io.asynq4j.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of texts, whole numbers and fractions. */
public record Table(String title, List<String> columns, List<List<Object>> rows) {

  public Table {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
  }

  /** For people and documents. */
  public String markdown() {
    List<String> lines = new ArrayList<>();
    lines.add("### " + title);
    lines.add("");
    lines.add(line(columns));
    lines.add(line(columns.stream().map(column -> "---").toList()));
    rows.forEach(row -> lines.add(line(row.stream().map(Table::text).toList())));
    return String.join("\n", lines) + "\n";
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  public static String text(Object cell) {
    if (cell instanceof Double number) {
      return number.isNaN() ? "" : decimal(number);
    }
    return cell instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : cell.toString();
  }

  private static String decimal(double number) {
    return String.format(Locale.ROOT, Math.abs(number) >= 100 ? "%,.0f" : "%.2f", number);
  }
}
