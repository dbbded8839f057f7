package io.asynq4j.client;

import io.asynq4j.AsynqException;
import io.asynq4j.TaskInfo;

/** A task whose result is awaited was archived, after failures or by an operator. */
public final class TaskFailedException extends AsynqException {

  private final transient TaskInfo task;

  public TaskFailedException(TaskInfo task) {
    super(
        "task with id=%s in queue \"%s\" was archived%s; run it again or delete it with an Inspector, the command line or the dashboard"
            .formatted(
                task.id(),
                task.queue(),
                task.lastError().isEmpty() ? "" : ": " + task.lastError()));
    this.task = task;
  }

  /** Returns the archived task. */
  public TaskInfo task() {
    return task;
  }
}
