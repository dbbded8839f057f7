package io.asynq4j.cli.queue;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue in a list, or the reason why it cannot be read. Immutable.
 *
 * @param seen null if the queue cannot be read
 * @param problem reason; null if the queue can be read
 */
record QueueListEntry(String queue, @Nullable QueueSnapshot seen, @Nullable String problem) {

  /** All queues. A queue that cannot be read does not affect the others. */
  static List<QueueListEntry> all(Inspector inspector) {
    List<QueueListEntry> lines = new ArrayList<>();
    for (String queue : inspector.queues()) {
      try {
        lines.add(new QueueListEntry(queue, inspector.queue(queue).snapshot(), null));
      } catch (QueueNotFoundException e) {
        // It was removed in the meantime.
      } catch (BrokerRefusedException | IllegalArgumentException e) {
        String why = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
        lines.add(new QueueListEntry(queue, null, why));
      }
    }
    return lines;
  }

  static List<QueueSnapshot> seen(List<QueueListEntry> lines) {
    List<QueueSnapshot> seen = new ArrayList<>();
    for (QueueListEntry line : lines) {
      if (line.seen() != null) {
        seen.add(line.seen());
      }
    }
    return seen;
  }

  static void noteProblems(Session session, List<QueueListEntry> lines) {
    for (QueueListEntry line : lines) {
      if (line.problem() != null) {
        session.note("asynq: queue %s cannot be read: %s".formatted(line.queue(), line.problem()));
      }
    }
  }

  static Column<QueueListEntry> name() {
    return Column.of("Queue", "queue", QueueListEntry::queue);
  }

  static Column<QueueListEntry> state() {
    Column<QueueListEntry> state = of(QueueColumns.paused());
    return state
        .shownAs(line -> line.seen() == null ? "broken" : state.shown().apply(line))
        .styled(
            (colors, line, text) ->
                line.seen() == null ? colors.red(text) : state.style().apply(colors, line, text));
  }

  static Column<QueueListEntry> reason() {
    return Column.data("problem", QueueListEntry::problem);
  }

  /** A column that is empty if the queue cannot be read. */
  static Column<QueueListEntry> of(Column<QueueSnapshot> column) {
    return new Column<>(
        column.title(),
        column.key(),
        line -> line.seen() == null ? null : column.value().apply(line.seen()),
        line -> line.seen() == null ? "" : column.shown().apply(line.seen()),
        (colors, line, text) ->
            line.seen() == null ? text : column.style().apply(colors, line.seen(), text),
        column.right(),
        column.flexible(),
        column.optional());
  }
}
