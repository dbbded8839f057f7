package io.asynq4j.client;

import io.asynq4j.AsynqException;
import io.asynq4j.QueueName;

/**
 * A unique task cannot be enqueued, because an equal task (same queue, type and payload) holds the
 * lock.
 */
public final class DuplicateTaskException extends AsynqException {

  private final String holderId;

  public DuplicateTaskException(QueueName queue, String type, String holderId) {
    super(
        "task already exists: task with id=%s in queue \"%s\" has the same type \"%s\" and payload, and holds the unique lock; wait until it completes or its lock expires, or enqueue without uniqueFor"
            .formatted(holderId, queue, type));
    this.holderId = holderId;
  }

  /** Returns the ID of the existing task. */
  public String holderId() {
    return holderId;
  }
}
