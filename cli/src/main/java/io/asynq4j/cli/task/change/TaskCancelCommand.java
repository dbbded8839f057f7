package io.asynq4j.cli.task.change;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.AfterCancelCandidates;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Cancels active tasks. */
@Command(
    name = "cancel",
    description = {
      "Cancel active tasks: interrupt their handlers.",
      "If the handler returns an outcome in time (cancelGrace of the server, default: 2s), that outcome",
      "applies. Otherwise --then applies. Go servers always retry a cancelled task."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task cancel running-1", "  asynq task cancel running-1 --then archive"})
public final class TaskCancelCommand extends TaskChangeCommand {

  @Option(
      names = "--then",
      paramLabel = "ACTION",
      completionCandidates = AfterCancelCandidates.class,
      description =
          "What to do with a task whose handler returns no outcome in time: retry, archive or delete."
              + " Default: retry.")
  private AfterCancel then = AfterCancel.RETRY;

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.queue(task.queue()).cancel(task.id(), then);
    return "cancellation requested";
  }
}
