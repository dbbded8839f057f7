package io.asynq4j.cli.queue;

import io.asynq4j.TaskState;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.TaskStateOrder;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Columns of a queue. */
final class QueueColumns {

  private QueueColumns() {}

  /** Less important states, dropped first. */
  private static final Set<TaskState> OPTIONAL =
      Set.of(TaskState.AGGREGATING, TaskState.SCHEDULED, TaskState.COMPLETED);

  static Column<QueueSnapshot> name() {
    return Column.of("Queue", "queue", QueueSnapshot::queue);
  }

  static Column<QueueSnapshot> paused() {
    return Column.<QueueSnapshot>of("State", "paused", QueueSnapshot::paused)
        .shownAs(queue -> queue.paused() ? "paused" : "running")
        .styled((colors, queue, text) -> queue.paused() ? colors.yellow(text) : colors.green(text));
  }

  static Column<QueueSnapshot> size() {
    return Column.count("Size", "size", QueueSnapshot::size);
  }

  static List<Column<QueueSnapshot>> sizes() {
    List<Column<QueueSnapshot>> columns = new ArrayList<>();
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      Column<QueueSnapshot> column =
          Column.count(title(state), state.word(), queue -> queue.size(state));
      columns.add(OPTIONAL.contains(state) ? column.mayBeLeftOut() : column);
    }
    return columns;
  }

  static String title(TaskState state) {
    return state.word().substring(0, 1).toUpperCase(Locale.ROOT) + state.word().substring(1);
  }

  static Column<QueueSnapshot> latency() {
    return Column.count("Latency", "latency_seconds", QueueSnapshot::latency);
  }

  static List<Column<QueueSnapshot>> today() {
    return List.of(
        Column.<QueueSnapshot>count(
                "Processed today", "processed_today", QueueSnapshot::processedToday)
            .mayBeLeftOut(),
        Column.<QueueSnapshot>count("Failed today", "failed_today", QueueSnapshot::failedToday)
            .styled((colors, queue, text) -> queue.failedToday() > 0 ? colors.red(text) : text)
            .mayBeLeftOut());
  }

  static String errorRate(long failed, long processed) {
    return processed == 0
        ? "N/A"
        : String.format(Locale.ROOT, "%.2f%%", failed * 100.0 / processed);
  }

  static String since(QueueSnapshot queue) {
    return queue.pausedSince() == null
        ? "no"
        : "since " + TimeFormatter.full(queue.pausedSince(), queue.at());
  }
}
