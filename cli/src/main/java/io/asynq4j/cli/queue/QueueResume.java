package io.asynq4j.cli.queue;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.RedisCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.queue.QueuePause.Change;
import java.util.List;
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
    List<Change> changes =
        queues.stream()
            .map(name -> new Change(name, false, session.inspector().resume(name)))
            .toList();
    session.printer().told(changes, Change.COLUMNS, Change::words);
    return ExitCode.DONE;
  }
}
