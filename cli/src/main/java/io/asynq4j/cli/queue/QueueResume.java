package io.asynq4j.cli.queue;

import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.frame.RedisCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.queue.QueuePause.Change;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends the pause of queues. */
@Command(
    name = "resume",
    aliases = "unpause",
    description = "Ends the pause of queues.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq queue resume mail", "  asynq queue unpause mail default"})
final class QueueResume extends RedisCommand {

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "The names of queues.")
  private List<String> queues = List.of();

  @Override
  protected int run(Session session) {
    Set<String> known = session.inspector().queues();
    Each<Change> each = new Each<>(session);
    List<Change> changes =
        each.of(
            queues,
            name -> {
              boolean changed = session.inspector().resume(name);
              // One may have been paused before it was there.
              if (!changed && !known.contains(name)) {
                throw new QueueNotFoundException(QueueName.of(name));
              }
              return new Change(name, false, changed);
            });
    session.printer().told(changes, Change.COLUMNS, Change::words);
    return each.exitCode();
  }
}
