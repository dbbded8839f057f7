package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Makes waiting, archived or completed tasks pending. */
@Command(
    name = "run",
    description =
        "Run tasks now: make scheduled, retry, aggregating, archived or completed tasks pending.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task run --queue mail --id later-7", "  asynq task run broken-1"})
public final class TaskRunCommand extends TaskChangeCommand {

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    inspector.queue(task.queue()).run(task.id());
    return "pending";
  }
}
