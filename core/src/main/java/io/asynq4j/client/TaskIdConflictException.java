package io.asynq4j.client;

import io.asynq4j.AsynqException;
import io.asynq4j.QueueName;

/** A task with this ID is already in the queue, in any state. */
public final class TaskIdConflictException extends AsynqException {

  private final String id;

  public TaskIdConflictException(QueueName queue, String id) {
    super(
        "task ID conflicts with another task: queue \"%2$s\" already has a task with id=%1$s, possibly archived or retained; choose another ID, or delete that task"
            .formatted(id, queue));
    this.id = id;
  }

  public String id() {
    return id;
  }
}
