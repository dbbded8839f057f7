package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Archives tasks that do not run. */
@Command(
    name = "archive",
    description = "Archives tasks that do not run.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task archive --queue mail --id later-7",
      "  asynq task archive later-8 pending-1"
    })
public final class TaskArchiveCommand extends TaskChangeCommand {

  @Option(
      names = "--drop-oldest",
      description =
          "Delete the oldest archived task when the archive is full (default: archive no more).")
  private boolean dropOldest;

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    (dropOldest ? inspector.droppingOldest() : inspector).archive(task.queue(), task.id());
    return "archived";
  }
}
