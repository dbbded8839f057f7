package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.TaskAction;
import picocli.CommandLine.Command;

/** Deletes tasks that are not active, and their unique locks. */
@Command(
    name = "delete",
    aliases = {"remove", "rm"},
    description = "Delete tasks that are not active, and their unique locks.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task delete --queue mail --id later-7", "  asynq task rm later-8 pending-1"})
public final class TaskDeleteCommand extends TaskChangeCommand {

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.queue(task.queue()).delete(task.id());
    return TaskAction.DELETE.done();
  }
}
