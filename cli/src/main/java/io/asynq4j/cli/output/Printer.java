package io.asynq4j.cli.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Prints rows in the selected format. Lines for people are omitted in the other formats, so that
 * programs can parse the output. Not thread-safe.
 */
public final class Printer {

  /** Width of a table that is not printed to a terminal. */
  private static final int UNLIMITED = 10_000;

  private static final int LEAST_CELL = 12;
  private static final int LONGEST_CELL = 200;
  private static final String GAP = "  ";

  private final PrintStream out;
  private final OutputFormat format;
  private final AnsiColors colors;
  private final int width;

  /**
   * @param width width of the terminal; 0 if there is none
   */
  public Printer(PrintStream out, OutputFormat format, AnsiColors colors, int width) {
    this.out = out;
    this.format = format;
    this.colors = colors;
    this.width = width == 0 ? UNLIMITED : width;
  }

  public OutputFormat format() {
    return format;
  }

  public AnsiColors colors() {
    return colors;
  }

  /** Same printer with another output. */
  public Printer to(PrintStream other) {
    return new Printer(other, format, colors, width);
  }

  /** Prints a line in table format only. */
  public void line(String text) {
    if (format == OutputFormat.TABLE) {
      out.println(text);
    }
  }

  /** Prints a heading in table format only. */
  public void heading(String text) {
    line(colors.bold(text));
  }

  /** Prints rows as a table, or the message if there are no rows. */
  public <T> void list(List<T> rows, List<Column<T>> columns, String whenEmpty) {
    switch (format) {
      case TABLE -> {
        if (rows.isEmpty()) {
          out.println(whenEmpty);
        } else {
          table(rows, columns);
        }
      }
      case JSON -> json(objects(rows, columns));
      case CSV -> csv(rows, columns);
    }
  }

  /** Prints each row as a block of lines, or all rows as a JSON array or CSV. */
  public <T> void details(List<T> rows, List<Column<T>> columns) {
    if (format != OutputFormat.TABLE) {
      list(rows, columns, "");
      return;
    }
    for (int i = 0; i < rows.size(); i++) {
      if (i > 0) {
        out.println();
      }
      block(rows.get(i), columns);
    }
  }

  /** Prints one row as a block of lines without the empty columns, or as a JSON object. */
  public <T> void detail(T row, List<Column<T>> columns) {
    switch (format) {
      case TABLE ->
          block(
              row,
              columns.stream().filter(column -> !column.shown().apply(row).isEmpty()).toList());
      case JSON -> json(object(row, columns));
      case CSV -> csv(List.of(row), columns);
    }
  }

  /** Prints results of a change: each row as a sentence, or all rows as JSON or CSV. */
  public <T> void results(List<T> rows, List<Column<T>> columns, Function<T, String> sentence) {
    if (format == OutputFormat.TABLE) {
      rows.forEach(row -> out.println(sentence.apply(row)));
    } else {
      list(rows, columns, "");
    }
  }

  public void json(@Nullable Object document) {
    out.println(JsonWriter.indented(document, colors));
  }

  public static <T> List<Map<String, @Nullable Object>> objects(
      List<T> rows, List<Column<T>> columns) {
    return rows.stream().map(row -> object(row, columns)).toList();
  }

  /** Without null values. */
  public static <T> Map<String, @Nullable Object> object(T row, List<Column<T>> columns) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (Column<T> column : columns) {
      Object value = column.value().apply(row);
      if (value != null) {
        object.put(column.key(), value);
      }
    }
    return object;
  }

  private <T> void csv(List<T> rows, List<Column<T>> columns) {
    StringJoiner names = new StringJoiner(",");
    columns.forEach(column -> names.add(column.key()));
    out.println(names);
    for (T row : rows) {
      StringJoiner line = new StringJoiner(",");
      columns.forEach(column -> line.add(CellFormatter.csv(column.value().apply(row))));
      out.println(line);
    }
  }

  private <T> void block(T row, List<Column<T>> all) {
    List<Column<T>> columns = visible(all);
    int names = columns.stream().mapToInt(column -> column.title().length()).max().orElse(0);
    for (Column<T> column : columns) {
      String text = column.style().apply(colors, row, column.shown().apply(row));
      String name = colors.dim(pad(column.title() + ":", names + 1, /* right= */ false));
      out.println((name + " " + text.replace("\n", "\n" + " ".repeat(names + 2))).stripTrailing());
    }
  }

  private static <T> List<Column<T>> visible(List<Column<T>> columns) {
    return columns.stream().filter(column -> !column.title().isEmpty()).toList();
  }

  private <T> void table(List<T> rows, List<Column<T>> all) {
    List<Column<T>> columns = new ArrayList<>();
    List<List<String>> cells = new ArrayList<>();
    for (Column<T> column : visible(all)) {
      columns.add(column);
      cells.add(
          rows.stream()
              .map(row -> CellFormatter.cut(column.shown().apply(row), LONGEST_CELL))
              .toList());
    }
    leaveOut(columns, cells);
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = widest(columns.get(i), cells.get(i));
    }
    fit(widths, columns);
    StringBuilder titles = new StringBuilder();
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String gap = i == 0 ? "" : GAP;
      Column<T> column = columns.get(i);
      titles.append(gap).append(colors.bold(pad(column.title(), widths[i], column.right())));
      rules.append(gap).append("-".repeat(widths[i]));
    }
    out.println(titles.toString().stripTrailing());
    out.println(colors.dim(rules.toString()));
    for (int r = 0; r < rows.size(); r++) {
      int row = r;
      List<String> texts = cells.stream().map(column -> column.get(row)).toList();
      out.println(line(rows.get(r), texts, columns, widths));
    }
  }

  private static <T> int widest(Column<T> column, List<String> cells) {
    return cells.stream().mapToInt(Printer::length).reduce(column.title().length(), Math::max);
  }

  /** Drops optional columns from the end until the others can be made to fit. */
  private <T> void leaveOut(List<Column<T>> columns, List<List<String>> cells) {
    for (int i = columns.size() - 1; i >= 0 && leastWidth(columns, cells) > width; i--) {
      if (columns.get(i).optional()) {
        columns.remove(i);
        cells.remove(i);
      }
    }
  }

  private static <T> int leastWidth(List<Column<T>> columns, List<List<String>> cells) {
    int least = GAP.length() * (columns.size() - 1);
    for (int i = 0; i < columns.size(); i++) {
      int widest = widest(columns.get(i), cells.get(i));
      least += columns.get(i).flexible() ? Math.min(LEAST_CELL, widest) : widest;
    }
    return least;
  }

  private <T> String line(T row, List<String> texts, List<Column<T>> columns, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      Column<T> column = columns.get(i);
      String text = CellFormatter.cut(texts.get(i), widths[i]);
      String blanks = " ".repeat(Math.max(0, widths[i] - length(text)));
      String styled = column.style().apply(colors, row, text);
      line.append(i == 0 ? "" : GAP).append(column.right() ? blanks + styled : styled + blanks);
    }
    return line.toString().stripTrailing();
  }

  /** Shortens the widest flexible columns until the row fits. */
  private <T> void fit(int[] widths, List<Column<T>> columns) {
    int over = GAP.length() * (widths.length - 1) - width;
    for (int each : widths) {
      over += each;
    }
    while (over > 0) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        if (columns.get(i).flexible()
            && widths[i] > LEAST_CELL
            && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
      over--;
    }
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String pad(String text, int width, boolean right) {
    String blanks = " ".repeat(Math.max(0, width - length(text)));
    return right ? blanks + text : text + blanks;
  }
}
