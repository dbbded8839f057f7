package io.asynq4j.cli.task.change;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.AfterCancelCandidates;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Has the handlers of running tasks told to stop. */
@Command(
    name = "cancel",
    description = {
      "Has the handlers of running tasks told to stop.",
      "A handler still decides what becomes of its task; Go servers always try it again."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task cancel running-1", "  asynq task cancel running-1 --then archive"})
public final class TaskCancelCommand extends TaskChangeCommand {

  @Option(
      names = "--then",
      paramLabel = "WHAT",
      completionCandidates = AfterCancelCandidates.class,
      description = "What becomes of it: retry, archive or delete. Default: retry")
  private AfterCancel then = AfterCancel.RETRY;

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.cancel(task.queue(), task.id(), then);
    return "its handler is told to stop";
  }
}
