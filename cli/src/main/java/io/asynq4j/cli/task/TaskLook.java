package io.asynq4j.cli.task;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.LookCommand;
import io.asynq4j.cli.frame.Session;
import picocli.CommandLine.Mixin;

/** Shows something of one task, wherever it is. */
abstract class TaskLook extends LookCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ChosenTasks tasks;

  abstract void show(Session session, TaskRef task);

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
