package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves tasks to another queue. */
@Command(
    name = "move",
    aliases = "mv",
    description = {
      "Move tasks to another queue.",
      "Scheduled and retry tasks are scheduled in the new queue for the same time. Archived tasks become",
      "pending. Other tasks keep their state."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task move later-7 --to slow",
      "  asynq task mv -q mail -i broken-1 --to slow"
    })
public final class TaskMoveCommand extends TaskChangeCommand {

  @Option(
      names = "--to",
      required = true,
      paramLabel = "QUEUE",
      description = "Queue to move the tasks to.")
  private String to = "";

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.queue(task.queue()).move(task.id(), to);
    return "moved to queue " + to;
  }
}
