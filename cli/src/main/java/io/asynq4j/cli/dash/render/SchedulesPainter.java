package io.asynq4j.cli.dash.render;

import io.asynq4j.QueueName;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.ScheduleView;
import io.asynq4j.cli.dash.view.SchedulesView;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import java.time.Instant;
import java.util.List;

/** Paints schedule entries, and one entry with the tasks it has enqueued. */
final class SchedulesPainter {

  private SchedulesPainter() {}

  static void paint(CharacterGrid grid, DashModel model, SchedulesView view) {
    List<ScheduleSnapshot> schedules = view.list();
    grid.put(
        0,
        ScreenPainter.BODY,
        List.of(StyledText.bold(" " + CompactFormatter.counted(schedules.size(), "schedule"))));
    Table table =
        new Table(
            grid.width(),
            List.of(
                Table.Column.flexible("ENTRY", 14, 100),
                Table.Column.left("SPEC", 14, 90),
                Table.Column.left("STATE", 6, 85),
                Table.Column.flexible("TYPE", 12, 70),
                Table.Column.left("QUEUE", 8, 60),
                Table.Column.right("NEXT", 9, 80),
                Table.Column.right("LAST", 10, 75),
                Table.Column.flexible("PAYLOAD", 12, 20)));
    ScrollableTable<ScheduleSnapshot> listing =
        new ScrollableTable<>(table, schedules, one -> cells(one, model.now()));
    if (!listing.paint(grid, model, view, ScreenPainter.BODY + 1)) {
      ScreenPainter.empty(
          grid,
          ScreenPainter.BODY + 2,
          model,
          view.schedules() != null,
          view.nothing(),
          view.search().isEmpty() ? "No schedules." : "No matching schedules.");
    }
  }

  private static List<List<StyledText>> cells(ScheduleSnapshot one, Instant now) {
    return List.of(
        Table.text(one.id()),
        Table.text(one.spec()),
        state(one),
        Table.text(one.taskType()),
        Table.text(queue(one)),
        Table.text(CompactFormatter.in(one.next(), now)),
        Table.text(CompactFormatter.ago(one.previous(), now)),
        Table.text(PayloadRenderer.preview(one.taskPayload())));
  }

  private static List<StyledText> state(ScheduleSnapshot one) {
    if (one.problem() != null) {
      return Table.text("BROKEN", Style.BAD);
    }
    return one.pausedSince() != null
        ? Table.text("PAUSED", Style.WARN)
        : one.isLive() ? Table.text("LIVE", Style.GOOD) : Table.text("IDLE", Style.DIM);
  }

  private static String queue(ScheduleSnapshot one) {
    QueueName queue = one.options().queue();
    return queue == null ? "default" : queue.value();
  }

  static void paint(CharacterGrid grid, DashModel model, ScheduleView view) {
    int y = ScreenPainter.BODY;
    QueryResult.Events answer = view.answer();
    if (answer == null) {
      ScreenPainter.empty(grid, y, model, /* isKnown= */ false, null, "");
      return;
    }
    ScheduleSnapshot one = answer.schedule();
    grid.put(1, y, view.id(), Style.BOLD);
    if (one == null) {
      grid.put(1, y + 1, "No scheduler has this entry any more.", Style.BAD);
    } else {
      fact(grid, y + 1, "spec", one.spec());
      fact(
          grid,
          y + 2,
          "state",
          (one.problem() == null ? "" : "broken (" + one.problem() + "), ")
              + (one.isLive() ? "live" : "no live scheduler")
              + (one.pausedSince() == null
                  ? ""
                  : ", paused since "
                      + CompactFormatter.at(one.pausedSince(), model.now(), model.zone()))
              + (one.isRemembered() ? "" : ", read-only"));
      fact(grid, y + 3, "task", one.taskType() + " in queue " + queue(one));
      fact(grid, y + 4, "payload", PayloadRenderer.preview(one.taskPayload()));
      fact(grid, y + 5, "next", CompactFormatter.at(one.next(), model.now(), model.zone()));
      fact(grid, y + 6, "last", CompactFormatter.at(one.previous(), model.now(), model.zone()));
    }
    Table table =
        new Table(
            grid.width(),
            List.of(
                Table.Column.flexible("ENQUEUED TASK", 20, 10), Table.Column.left("AT", 40, 9)));
    ScrollableTable<ScheduleEvent> listing =
        new ScrollableTable<>(
            table,
            answer.events(),
            event ->
                List.of(
                    event.problem() == null
                        ? Table.text(event.taskId())
                        : Table.text("(unreadable)", Style.BAD),
                    Table.text(
                        CompactFormatter.at(event.enqueuedAt(), model.now(), model.zone()))));
    if (!listing.paint(grid, model, view, y + 7)) {
      ScreenPainter.empty(grid, y + 8, model, /* isKnown= */ true, null, "No tasks.");
    }
  }

  private static void fact(CharacterGrid grid, int y, String label, String text) {
    grid.put(1, y, TerminalText.pad(label, 9, /* right= */ false), Style.DIM);
    grid.put(10, y, TerminalText.cut(text, grid.width() - 11), Style.PLAIN);
  }
}
