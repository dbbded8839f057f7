package io.asynq4j.client;

import io.asynq4j.AsynqException;
import io.asynq4j.QueueName;

/**
 * A unique task cannot be enqueued, because an equal task (same queue, type and payload) holds the
 * lock.
 */
public final class DuplicateTaskException extends AsynqException {

  private static final long serialVersionUID = 1L;

  private final String holderId;

  public DuplicateTaskException(QueueName queue, String type, String holderId) {
    super(
        "task already exists: task with id=%s in queue \"%s\" is equal to this one of type \"%s\" and still unique; wait until it has ended or its uniqueFor is over, or enqueue without uniqueFor"
            .formatted(holderId, queue, type));
    this.holderId = holderId;
  }

  /** Returns the ID of the existing task. */
  public String holderId() {
    return holderId;
  }
}
