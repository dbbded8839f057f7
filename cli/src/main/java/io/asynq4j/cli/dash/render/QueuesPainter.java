package io.asynq4j.cli.dash.render;

import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.QueueRow;
import io.asynq4j.cli.dash.data.QueueTotals;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.ListPosition;
import io.asynq4j.cli.dash.view.QueuesView;
import io.asynq4j.cli.output.TaskStateOrder;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Paints all queues with bars, figures and sparklines, and details of the selected one. */
final class QueuesPainter {

  private static final int BAR = 2;
  private static final int SPARK = 6;
  private static final int NARROW_BAR = 10;
  private static final int WIDE_BAR = 24;
  private static final int WIDE = 120;
  private static final int STATE_COLUMN = 7;

  private QueuesPainter() {}

  static void paint(CharacterGrid grid, DashModel model, QueuesView view) {
    List<QueueRow> rows = view.list();
    totals(grid, view);
    legend(grid);
    Table table = table(grid.width());
    table.header(grid, ScreenPainter.BODY + 2);
    int first = ScreenPainter.BODY + 3;
    int seen = view.rows(model.size());
    if (rows.isEmpty()) {
      boolean isFiltered = !view.search().isEmpty() || view.only() != QueuesView.Only.ALL;
      ScreenPainter.empty(
          grid,
          first,
          model,
          view.overview() != null,
          null,
          isFiltered ? "No matching queues." : "No queues yet. Enqueue a task to create one.");
      return;
    }
    ListPosition place = view.placeNow(model.size());
    List<QueueRow> shown = rows.subList(place.top(), Math.min(rows.size(), place.top() + seen));
    long most = shown.stream().mapToLong(QueueRow::size).max().orElse(0);
    for (int i = 0; i < shown.size(); i++) {
      boolean isSelected = place.top() + i == place.index();
      table.row(grid, first + i, isSelected, cells(table, shown.get(i), most));
    }
    if (QueuesView.hasPanel(model.size())) {
      panel(grid, model, first + seen, rows.get(place.index()));
    }
  }

  private static void totals(CharacterGrid grid, QueuesView view) {
    if (view.overview() == null) {
      return;
    }
    QueueTotals totals = view.overview().totals();
    String shown =
        view.only() == QueuesView.Only.ALL && view.search().isEmpty()
            ? ""
            : " (" + CompactFormatter.count(view.list().size()) + " match)";
    List<StyledText> line = new ArrayList<>();
    line.add(StyledText.bold(" " + CompactFormatter.counted(totals.queues(), "queue")));
    line.add(StyledText.plain(shown));
    if (totals.seen() < totals.queues()) {
      line.add(StyledText.dim(", " + CompactFormatter.count(totals.seen()) + " loaded"));
    }
    line.add(StyledText.dim(", sorted by "));
    line.add(StyledText.plain(view.sort().word()));
    line.add(StyledText.dim(", showing "));
    line.add(StyledText.plain(view.only().word()));
    int x = grid.put(0, ScreenPainter.BODY, line);
    String rate = " " + CompactFormatter.rate(totals.rate()) + "/s";
    int width = Math.min(40, grid.width() - x - rate.length() - 14);
    if (width >= 5) {
      grid.put(
          grid.width() - width - rate.length() - 11,
          ScreenPainter.BODY,
          List.of(
              StyledText.dim("processed "),
              new StyledText(Charts.sparkline(totals.trend().rates(), width), Style.GOOD),
              StyledText.bold(rate)));
    }
  }

  private static void legend(CharacterGrid grid) {
    List<StyledText> line = new ArrayList<>();
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      line.add(new StyledText(" █", Style.of(state)));
      line.add(StyledText.dim(state.word()));
    }
    grid.put(0, ScreenPainter.BODY + 1, line);
  }

  private static Table table(int width) {
    List<Table.Column> columns =
        new ArrayList<>(
            List.of(
                Table.Column.flexible("QUEUE", 14, 100),
                Table.Column.left("STATE", 6, 90),
                Table.Column.left("", width >= WIDE ? WIDE_BAR : NARROW_BAR, 40),
                Table.Column.right("SIZE", 7, 95),
                Table.Column.right("LATENCY", 7, 80),
                Table.Column.right("PER S", 6, 70),
                Table.Column.left("", width >= WIDE ? 16 : 8, 60),
                Table.Column.right("DONE", 7, 50),
                Table.Column.right("FAILED", 6, 75),
                Table.Column.right("ERRORS", 6, 30),
                Table.Column.right("MEMORY", 8, 20)));
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      columns.add(Table.Column.right(heading(state), STATE_COLUMN, importance(state)));
    }
    return new Table(width, columns);
  }

  private static int importance(TaskState state) {
    return switch (state) {
      case PENDING -> 17;
      case ACTIVE -> 16;
      case RETRY -> 15;
      case SCHEDULED -> 14;
      case ARCHIVED -> 13;
      case AGGREGATING -> 12;
      case COMPLETED -> 11;
    };
  }

  private static String heading(TaskState state) {
    return brief(state).toUpperCase(Locale.ROOT);
  }

  static String brief(TaskState state) {
    return switch (state) {
      case ACTIVE -> "active";
      case PENDING -> "pend";
      case AGGREGATING -> "aggr";
      case SCHEDULED -> "sched";
      case RETRY -> "retry";
      case ARCHIVED -> "arch";
      case COMPLETED -> "compl";
    };
  }

  private static List<List<StyledText>> cells(Table table, QueueRow row, long most) {
    QueueSnapshot now = row.snapshot();
    List<List<StyledText>> cells = new ArrayList<>();
    cells.add(Table.text(row.name()));
    if (now == null) {
      cells.add(
          row.problem() == null ? Table.text("…", Style.DIM) : Table.text("broken", Style.BAD));
      while (cells.size() < 11 + TaskStateOrder.IN_ORDER.size()) {
        cells.add(Table.text(""));
      }
      return cells;
    }
    cells.add(now.paused() ? Table.text("PAUSED", Style.WARN) : Table.text("RUN", Style.GOOD));
    cells.add(Charts.bar(now.sizes(), Math.max(1, most), table.width(BAR)));
    cells.add(Table.text(CompactFormatter.count(now.size())));
    cells.add(Table.text(CompactFormatter.time(now.latency())));
    cells.add(Table.text(CompactFormatter.rate(row.trend().rate())));
    cells.add(
        List.of(
            new StyledText(Charts.sparkline(row.trend().rates(), table.width(SPARK)), Style.GOOD),
            StyledText.plain("")));
    cells.add(Table.text(CompactFormatter.count(now.processedToday())));
    cells.add(
        Table.text(
            CompactFormatter.brief(now.failedToday()),
            now.failedToday() > 0 ? Style.BAD : Style.PLAIN));
    cells.add(Table.text(CompactFormatter.percent(now.failedToday(), now.processedToday())));
    cells.add(
        Table.text(
            row.memory() < 0 ? CompactFormatter.NONE : ByteSizeFormat.approximate(row.memory())));
    TaskStateOrder.IN_ORDER.forEach(
        state -> cells.add(Table.text(CompactFormatter.count(now.size(state)))));
    return cells;
  }

  /** Details of the selected queue. */
  private static void panel(CharacterGrid grid, DashModel model, int y, QueueRow row) {
    grid.put(0, y, "─".repeat(grid.width()), Style.DIM);
    grid.put(1, y, " " + TerminalText.cut(row.name(), grid.width() - 4) + " ", Style.BOLD);
    QueueSnapshot now = row.snapshot();
    if (now == null) {
      String text = Optional.ofNullable(row.problem()).orElse("Loading …");
      int line = y + 1;
      for (String part : PayloadRenderer.wrapped(text, grid.width() - 2)) {
        grid.put(1, line++, part, Style.BAD);
      }
      return;
    }
    grid.put(0, y + 1, sizes(now.sizes(), grid.width()));
    List<StyledText> counts = new ArrayList<>();
    counts.add(StyledText.dim(" today "));
    counts.add(StyledText.plain(CompactFormatter.count(now.processedToday())));
    counts.add(StyledText.dim(" processed, "));
    counts.add(
        new StyledText(
            CompactFormatter.count(now.failedToday()),
            now.failedToday() > 0 ? Style.BAD : Style.PLAIN));
    counts.add(
        StyledText.dim(
            " failed ("
                + CompactFormatter.percent(now.failedToday(), now.processedToday())
                + ")  "));
    counts.add(StyledText.dim(CompactFormatter.counted(now.groups(), "group") + "  "));
    counts.add(
        StyledText.dim(
            "memory "
                + (row.memory() < 0
                    ? "unknown"
                    : "about " + ByteSizeFormat.approximate(row.memory()))));
    if (now.pausedSince() != null) {
      counts.add(
          new StyledText(
              "  paused " + CompactFormatter.ago(now.pausedSince(), model.now()), Style.WARN));
    }
    grid.put(0, y + 2, counts);
    trends(grid, y + 3, row);
  }

  /** Throughput and latency over time, in two rows. */
  static void trends(CharacterGrid grid, int y, QueueRow row) {
    QueueSnapshot now = row.snapshot();
    int width = Math.max(1, Math.min(120, grid.width() - 24));
    grid.put(
        0,
        y,
        List.of(
            StyledText.dim(" per s   "),
            new StyledText(Charts.sparkline(row.trend().rates(), width), Style.GOOD),
            StyledText.bold(" " + CompactFormatter.rate(row.trend().rate()))));
    grid.put(
        0,
        y + 1,
        List.of(
            StyledText.dim(" latency "),
            new StyledText(Charts.sparkline(row.trend().latencies(), width), Style.WARN),
            StyledText.bold(
                " "
                    + (now == null
                        ? CompactFormatter.NONE
                        : CompactFormatter.time(now.latency())))));
  }

  private static List<StyledText> sizes(Map<TaskState, Long> sizes, int width) {
    List<StyledText> full = new ArrayList<>();
    List<StyledText> brief = new ArrayList<>();
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      long size = sizes.getOrDefault(state, 0L);
      full.add(StyledText.dim(" " + state.word() + " "));
      full.add(new StyledText(CompactFormatter.count(size), Style.of(state)));
      brief.add(StyledText.dim(" " + brief(state) + " "));
      brief.add(new StyledText(CompactFormatter.brief(size), Style.of(state)));
    }
    return full.stream().mapToInt(span -> span.text().length()).sum() <= width ? full : brief;
  }
}
