package io.asynq4j.cli.dash.render;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.QueueRow;
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
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.cli.output.TaskStateOrder;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Paints a queue: its figures, a tab per state, and the tasks of one state. */
final class QueuePainter {

  private static final int ID = 14;
  private static final int TYPE = 14;

  private QueuePainter() {}

  static void paint(CharacterGrid grid, DashModel model, QueueView view) {
    figures(grid, model, view);
    tabs(grid, view);
    int header = ScreenPainter.BODY + 3;
    if (view.listsGroups()) {
      groups(grid, model, view, header);
    } else {
      tasks(grid, model, view, header);
    }
    grid.put(0, ScreenPainter.BODY + model.size().body() - 1, where(model, view));
  }

  private static void figures(CharacterGrid grid, DashModel model, QueueView view) {
    QueueRow row = view.row();
    QueueSnapshot now = row == null ? null : row.snapshot();
    if (row == null || now == null) {
      grid.put(1, ScreenPainter.BODY, view.name(), Style.BOLD);
      return;
    }
    List<StyledText> line = new ArrayList<>();
    line.add(StyledText.bold(" " + TerminalText.cut(view.name(), 20) + " "));
    line.add(
        now.pausedSince() == null
            ? new StyledText("RUN", Style.GOOD)
            : new StyledText(
                "PAUSED " + CompactFormatter.ago(now.pausedSince(), model.now()), Style.WARN));
    line.add(StyledText.dim("  size "));
    line.add(StyledText.plain(CompactFormatter.count(now.size())));
    line.add(StyledText.dim("  latency "));
    line.add(StyledText.plain(CompactFormatter.time(now.latency())));
    line.add(StyledText.dim("  today "));
    line.add(StyledText.plain(CompactFormatter.count(now.processedToday())));
    line.add(StyledText.dim(" failed "));
    line.add(
        new StyledText(
            CompactFormatter.count(now.failedToday()),
            now.failedToday() > 0 ? Style.BAD : Style.PLAIN));
    if (row.memory() >= 0) {
      line.add(StyledText.dim("  memory "));
      line.add(StyledText.plain(ByteSizeFormat.approximate(row.memory())));
    }
    grid.put(0, ScreenPainter.BODY, line);
    int width = Math.max(4, (grid.width() - 34) / 2);
    grid.put(
        0,
        ScreenPainter.BODY + 1,
        List.of(
            StyledText.dim(" per s "),
            new StyledText(Charts.sparkline(row.trend().rates(), width), Style.GOOD),
            StyledText.bold(" " + CompactFormatter.rate(row.trend().rate())),
            StyledText.dim("  latency "),
            new StyledText(Charts.sparkline(row.trend().latencies(), width), Style.WARN),
            StyledText.bold(" " + CompactFormatter.time(now.latency()))));
  }

  private static void tabs(CharacterGrid grid, QueueView view) {
    QueueSnapshot now = view.row() == null ? null : view.row().snapshot();
    List<StyledText> full = new ArrayList<>();
    List<StyledText> brief = new ArrayList<>();
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      boolean isShown = state == view.state();
      long size = now == null ? 0 : now.size(state);
      full.add(tab(state.word() + " " + CompactFormatter.count(size), isShown));
      brief.add(tab(QueuesPainter.brief(state) + " " + CompactFormatter.brief(size), isShown));
    }
    int needed = full.stream().mapToInt(span -> span.text().length()).sum();
    grid.put(0, ScreenPainter.BODY + 2, needed <= grid.width() ? full : brief);
  }

  private static StyledText tab(String text, boolean isShown) {
    return isShown ? new StyledText("[" + text + "]", Style.TAB) : StyledText.dim(" " + text + " ");
  }

  private static void groups(CharacterGrid grid, DashModel model, QueueView view, int header) {
    Table table =
        new Table(
            grid.width(),
            List.of(Table.Column.flexible("GROUP", 20, 10), Table.Column.right("SIZE", 12, 9)));
    ScrollableTable<QueryResult.Group> listing =
        new ScrollableTable<>(
            table,
            view.groupList(),
            group ->
                List.of(
                    Table.text(group.name()),
                    group.size() < 0
                        ? Table.text("broken", Style.BAD)
                        : Table.text(CompactFormatter.count(group.size()))));
    if (!listing.paint(grid, model, view, header)) {
      ScreenPainter.empty(
          grid,
          header + 1,
          model,
          view.groups() != null,
          view.nothing(),
          view.search().isEmpty() ? "No groups." : "No matching groups.");
    }
  }

  private static void tasks(CharacterGrid grid, DashModel model, QueueView view, int header) {
    Table table = new Table(grid.width(), columns(view.state()));
    table.header(grid, header);
    QueryResult.Tasks tasks = view.tasks();
    if (tasks == null || view.keys().isEmpty()) {
      ScreenPainter.empty(
          grid,
          header + 1,
          model,
          tasks != null,
          view.nothing(),
          view.search().isEmpty() ? "No tasks in this state." : "No matching tasks so far.");
      return;
    }
    ListPosition place = view.placeNow(model.size());
    int rows = view.rows(model.size());
    for (int i = place.top(); i < Math.min(view.keys().size(), place.top() + rows); i++) {
      int y = header + 1 + i - place.top();
      boolean isSelected = i == place.index();
      if (i < tasks.tasks().size()) {
        TaskInfo task = tasks.tasks().get(i);
        table.row(grid, y, isSelected, cells(task, id(task.id(), view), view, model.now()));
      } else {
        String id = tasks.unreadable().get(i - tasks.tasks().size());
        List<List<StyledText>> cells = new ArrayList<>();
        cells.add(id(id, view));
        cells.add(Table.text("(unreadable)", Style.BAD));
        while (cells.size() < columns(view.state()).size()) {
          cells.add(Table.text(""));
        }
        table.row(grid, y, isSelected, cells);
      }
    }
  }

  private static List<Table.Column> columns(TaskState state) {
    Table.Column id = Table.Column.flexible("ID", ID, 100);
    Table.Column type = Table.Column.flexible("TYPE", TYPE, 90);
    Table.Column payload = Table.Column.flexible("PAYLOAD", 12, 50);
    Table.Column retry = Table.Column.right("RETRY", 6, 60);
    return switch (state) {
      case ACTIVE -> List.of(id, type, retry, Table.Column.left("PROGRESS", 10, 55), payload);
      case PENDING -> List.of(id, type, retry, Table.Column.right("WAITING", 8, 70), payload);
      case AGGREGATING -> List.of(id, type, Table.Column.left("GROUP", 12, 40), payload);
      case SCHEDULED -> List.of(id, type, Table.Column.right("NEXT", 9, 70), payload);
      case RETRY ->
          List.of(
              id,
              type,
              retry,
              Table.Column.right("NEXT", 9, 70),
              Table.Column.flexible("LAST ERROR", 16, 65),
              Table.Column.right("FAILED", 11, 20),
              payload);
      case ARCHIVED ->
          List.of(
              id,
              type,
              retry,
              Table.Column.right("FAILED", 11, 70),
              Table.Column.flexible("LAST ERROR", 16, 65),
              payload);
      case COMPLETED ->
          List.of(
              id,
              type,
              Table.Column.right("COMPLETED", 11, 70),
              payload,
              Table.Column.flexible("RESULT", 12, 45));
    };
  }

  private static List<StyledText> id(String id, QueueView view) {
    return view.marked().contains(id) ? Table.text("* " + id, Style.WARN) : Table.text(id);
  }

  private static List<List<StyledText>> cells(
      TaskInfo task, List<StyledText> id, QueueView view, Instant now) {
    List<StyledText> type = Table.text(task.type());
    List<StyledText> payload = Table.text(PayloadRenderer.preview(task.payload()));
    List<StyledText> retry = Table.text(task.retried() + "/" + task.maxRetry());
    List<StyledText> error = Table.text(task.lastError(), Style.BAD);
    List<StyledText> failed = Table.text(CompactFormatter.ago(task.lastFailedAt(), now));
    List<StyledText> next = Table.text(CompactFormatter.in(task.nextProcessAt(), now));
    return switch (view.state()) {
      case ACTIVE -> List.of(id, type, retry, progress(task), payload);
      case PENDING ->
          List.of(
              id,
              type,
              retry,
              Table.text(CompactFormatter.ago(task.since(), now).replace(" ago", "")),
              payload);
      case AGGREGATING -> List.of(id, type, Table.text(task.group()), payload);
      case SCHEDULED -> List.of(id, type, next, payload);
      case RETRY -> List.of(id, type, retry, next, error, failed, payload);
      case ARCHIVED -> List.of(id, type, retry, failed, error, payload);
      case COMPLETED ->
          List.of(
              id,
              type,
              Table.text(CompactFormatter.ago(task.completedAt(), now)),
              payload,
              Table.text(PayloadRenderer.preview(task.result())));
    };
  }

  private static List<StyledText> progress(TaskInfo task) {
    if (task.orphaned()) {
      return Table.text("orphaned", Style.BAD);
    } else if (task.progress() == null) {
      return Table.text(CompactFormatter.NONE, Style.DIM);
    }
    int percent = task.progress().percent();
    List<StyledText> bar = new ArrayList<>(Charts.gauge(percent, 100, 5));
    bar.add(StyledText.plain(" %d%%".formatted(percent)));
    return bar;
  }

  private static List<StyledText> where(DashModel model, QueueView view) {
    if (view.listsGroups()) {
      int count = view.groupList().size();
      return List.of(StyledText.dim(" " + CompactFormatter.counted(count, "group")));
    }
    QueryResult.Tasks tasks = view.tasks();
    if (tasks == null) {
      return List.of();
    }
    String loading = tasks.wish().equals(view.wish(model.size())) ? "" : "  loading …";
    StyledText marked =
        new StyledText(
            view.marked().isEmpty() ? "" : "  %d marked".formatted(view.marked().size()),
            Style.WARN);
    int rows = tasks.tasks().size() + tasks.unreadable().size();
    if (!view.search().isEmpty()) {
      return List.of(
          StyledText.dim(
              " page %d: %d found in %s of %s tasks, %s%s"
                  .formatted(
                      view.before().size() + 1,
                      rows,
                      CompactFormatter.count(tasks.looked()),
                      CompactFormatter.count(tasks.total()),
                      CompactFormatter.ago(tasks.at(), model.now()),
                      tasks.cursor() == null ? "; end of search" : "; n continues")),
          marked,
          StyledText.plain(loading));
    }
    long first = rows == 0 ? 0 : tasks.wish().offset() + 1;
    return List.of(
        StyledText.dim(
            " showing %s–%s of %s"
                .formatted(
                    CompactFormatter.count(first),
                    CompactFormatter.count(Math.max(0, first + rows - 1)),
                    CompactFormatter.count(tasks.total()))),
        marked,
        StyledText.plain(loading));
  }
}
