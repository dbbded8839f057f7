package io.asynq4j;

/** An equal task (same queue, type and payload) holds the lock of a task that is to be unique. */
public final class DuplicateTaskException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String holderId;

  public DuplicateTaskException(QueueName queue, String type, String holderId) {
    super(
        "task already exists: task with id=%s in queue \"%s\" is equal to this one of type \"%s\" and still unique"
            .formatted(holderId, queue, type));
    this.holderId = holderId;
  }

  /** The id of the task that is there already. */
  public String holderId() {
    return holderId;
  }
}
