package io.asynq4j.client;

import io.asynq4j.AsynqException;
import io.asynq4j.Durability;
import io.asynq4j.TaskInfo;

/**
 * A task is enqueued on the primary, but the requested durability was not confirmed in time. Do not
 * enqueue the task again: it runs unless Redis loses it.
 */
public final class UnconfirmedTaskException extends AsynqException {

  private final transient TaskInfo task;

  public UnconfirmedTaskException(TaskInfo task, Durability durability, Throwable cause) {
    super(
        "task with id=%s is enqueued in queue \"%s\", but not confirmed as %s: %s. Do not enqueue it again"
            .formatted(task.id(), task.queue(), durability, cause.getMessage()),
        cause);
    this.task = task;
  }

  /** Returns the enqueued task. */
  public TaskInfo task() {
    return task;
  }
}
