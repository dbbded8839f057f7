package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.TaskAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Archives tasks that are not active. */
@Command(
    name = "archive",
    description = "Archive tasks that are not active.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task archive --queue mail --id later-7",
      "  asynq task archive later-8 pending-1"
    })
public final class TaskArchiveCommand extends TaskChangeCommand {

  @Option(
      names = "--drop-oldest",
      description =
          "Delete the oldest archived tasks when the archive is full. Default: do not archive the"
              + " task.")
  private boolean dropOldest;

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    (dropOldest ? inspector.droppingOldest() : inspector).queue(task.queue()).archive(task.id());
    return TaskAction.ARCHIVE.done();
  }
}
