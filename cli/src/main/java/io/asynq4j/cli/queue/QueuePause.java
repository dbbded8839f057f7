package io.asynq4j.cli.queue;

import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.frame.RedisCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.output.Column;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Has nothing more taken from queues. */
@Command(
    name = "pause",
    description = "Has servers take nothing more from queues; what runs goes on.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq queue pause mail default")
final class QueuePause extends RedisCommand {

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "The names of queues.")
  private List<String> queues = List.of();

  /** Whether a queue is paused now, and whether it was not before. */
  record Change(String queue, boolean paused, boolean changed) {

    static final List<Column<Change>> COLUMNS =
        List.of(
            Column.of("Queue", "queue", Change::queue),
            Column.of("Paused", "paused", Change::paused),
            Column.of("Changed", "changed", Change::changed));

    String words() {
      String state = paused ? "paused" : "running";
      return "Queue %s is %s%s.".formatted(queue, changed ? "" : "already ", state);
    }
  }

  @Override
  protected int run(Session session) {
    Set<String> known = session.inspector().queues();
    Each<Change> each = new Each<>(session);
    List<Change> changes =
        each.of(
            queues,
            name -> {
              // A name that was mistyped would be paused for ever, and the right one would not be.
              if (!known.contains(name)) {
                throw new QueueNotFoundException(QueueName.of(name));
              }
              return new Change(name, true, session.inspector().pause(name));
            });
    session.printer().told(changes, Change.COLUMNS, Change::words);
    return each.exitCode();
  }
}
