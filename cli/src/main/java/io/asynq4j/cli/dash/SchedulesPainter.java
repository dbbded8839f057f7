package io.asynq4j.cli.dash;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.ScheduleEvent;
import io.asynq4j.inspect.ScheduleSnapshot;
import java.time.Instant;
import java.util.List;

/** Entries of schedulers, and one of them with what it has enqueued. */
final class SchedulesPainter {

  private SchedulesPainter() {}

  static void paint(Grid grid, Model model, SchedulesView view) {
    List<ScheduleSnapshot> schedules = view.list();
    grid.put(
        0, Painter.BODY, List.of(Span.bold(" " + Figures.counted(schedules.size(), "schedule"))));
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
    Listing<ScheduleSnapshot> listing =
        new Listing<>(table, schedules, one -> cells(one, model.now()));
    if (!listing.paint(grid, model, view, Painter.BODY + 1)) {
      Painter.empty(
          grid,
          Painter.BODY + 2,
          model,
          view.schedules() != null,
          view.nothing(),
          view.search().isEmpty() ? "There are no schedules." : "No schedule matches.");
    }
  }

  private static List<List<Span>> cells(ScheduleSnapshot one, Instant now) {
    return List.of(
        Table.text(one.id()),
        Table.text(one.spec()),
        state(one),
        Table.text(one.taskType()),
        Table.text(queue(one)),
        Table.text(Figures.in(one.next(), now)),
        Table.text(Figures.ago(one.previous(), now)),
        Table.text(PayloadText.preview(one.taskPayload())));
  }

  private static List<Span> state(ScheduleSnapshot one) {
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

  static void paint(Grid grid, Model model, ScheduleView view) {
    int y = Painter.BODY;
    Answer.Events answer = view.answer();
    if (answer == null) {
      Painter.empty(grid, y, model, /* isKnown= */ false, null, "");
      return;
    }
    ScheduleSnapshot one = answer.schedule();
    grid.put(1, y, view.id(), Style.BOLD);
    if (one == null) {
      grid.put(1, y + 1, "No scheduler has it any more.", Style.BAD);
    } else {
      fact(grid, y + 1, "spec", one.spec());
      fact(
          grid,
          y + 2,
          "state",
          (one.problem() == null ? "" : "broken (" + one.problem() + "), ")
              + (one.isLive() ? "live" : "no live scheduler shows it")
              + (one.pausedSince() == null
                  ? ""
                  : ", paused since " + Figures.at(one.pausedSince(), model.now(), model.zone()))
              + (one.isRemembered() ? "" : ", can only be looked at"));
      fact(grid, y + 3, "task", one.taskType() + " in queue " + queue(one));
      fact(grid, y + 4, "payload", PayloadText.preview(one.taskPayload()));
      fact(grid, y + 5, "next", Figures.at(one.next(), model.now(), model.zone()));
      fact(grid, y + 6, "last", Figures.at(one.previous(), model.now(), model.zone()));
    }
    Table table =
        new Table(
            grid.width(),
            List.of(Table.Column.flexible("HAS ENQUEUED", 20, 10), Table.Column.left("AT", 40, 9)));
    Listing<ScheduleEvent> listing =
        new Listing<>(
            table,
            answer.events(),
            event ->
                List.of(
                    event.problem() == null
                        ? Table.text(event.taskId())
                        : Table.text("(unreadable)", Style.BAD),
                    Table.text(Figures.at(event.enqueuedAt(), model.now(), model.zone()))));
    if (!listing.paint(grid, model, view, y + 7)) {
      Painter.empty(grid, y + 8, model, /* isKnown= */ true, null, "Nothing more.");
    }
  }

  private static void fact(Grid grid, int y, String label, String text) {
    grid.put(1, y, Cells.pad(label, 9, /* right= */ false), Style.DIM);
    grid.put(10, y, Cells.cut(text, grid.width() - 11), Style.PLAIN);
  }
}
