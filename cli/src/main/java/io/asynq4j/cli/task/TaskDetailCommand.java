package io.asynq4j.cli.task;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskArguments;
import io.asynq4j.cli.task.option.TaskLocation;
import picocli.CommandLine.Mixin;

/** Shows details of one task in any state. */
abstract class TaskDetailCommand extends ReadOnlyCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskArguments tasks;

  abstract void show(Session session, TaskLocation task);

  @Override
  protected final void check() {
    tasks.check();
  }

  @Override
  protected final int run(Session session) {
    show(session, tasks.findOne(session.inspector()));
    return ExitCode.DONE;
  }
}
