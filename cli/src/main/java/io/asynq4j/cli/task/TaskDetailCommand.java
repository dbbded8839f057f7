package io.asynq4j.cli.task;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskArgument;
import io.asynq4j.cli.task.option.TaskLocation;
import picocli.CommandLine.Mixin;

/** Shows details of one task in any state. */
abstract class TaskDetailCommand extends ReadOnlyCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskArgument task;

  abstract void show(Session session, TaskLocation task);

  @Override
  protected final void check() {
    task.check();
  }

  @Override
  protected final int run(Session session) {
    show(session, task.find(session.inspector()));
    return ExitCode.DONE;
  }
}
