package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Makes tasks pending that wait, are archived or completed. */
@Command(
    name = "run",
    description = "Makes tasks pending that wait, are archived or completed.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task run --queue mail --id later-7", "  asynq task run broken-1"})
public final class TaskRunCommand extends TaskChangeCommand {

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.run(task.queue(), task.id());
    return "pending now";
  }
}
