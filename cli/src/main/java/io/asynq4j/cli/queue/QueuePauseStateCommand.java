package io.asynq4j.cli.queue;

import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Parameters;

/** Pauses or resumes queues. */
abstract class QueuePauseStateCommand extends RedisCommand {

  private static final List<Column<Change>> COLUMNS =
      List.of(
          Column.of("Queue", "queue", Change::queue),
          Column.of("Paused", "paused", Change::paused),
          Column.of("Changed", "changed", Change::changed));

  private final boolean paused;

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Name of the queue (repeatable).")
  private List<String> queues = List.of();

  /**
   * @param paused state of the queues afterwards
   */
  QueuePauseStateCommand(boolean paused) {
    this.paused = paused;
  }

  /** Result for one queue: its state, and whether it changed. */
  private record Change(String queue, boolean paused, boolean changed) {

    String words() {
      String state = paused ? "paused" : "running";
      return "Queue %s is %s%s.".formatted(queue, changed ? "" : "already ", state);
    }
  }

  /** Returns whether the state changed. */
  abstract boolean change(Inspector inspector, String queue, boolean isKnown);

  static void requireKnown(String queue, boolean isKnown) {
    if (!isKnown) {
      throw new QueueNotFoundException(QueueName.of(queue));
    }
  }

  @Override
  protected final int run(Session session) {
    Inspector inspector = session.inspector();
    Set<String> known = inspector.queues();
    PerQueueRunner<Change> each = new PerQueueRunner<>(session);
    List<Change> changes =
        each.of(
            queues,
            name -> new Change(name, paused, change(inspector, name, known.contains(name))));
    session.printer().results(changes, COLUMNS, Change::words);
    return each.exitCode();
  }
}
