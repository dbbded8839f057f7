package io.asynq4j;

/**
 * A task that is to be unique cannot be enqueued, since an equal one (same queue, type and payload)
 * holds the lock.
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

  /** The id of the task that is there already. */
  public String holderId() {
    return holderId;
  }
}
