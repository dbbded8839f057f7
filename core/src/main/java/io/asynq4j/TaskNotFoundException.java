package io.asynq4j;

/** The queue has no task with this ID. */
public final class TaskNotFoundException extends AsynqException {

  public TaskNotFoundException(QueueName queue, String id) {
    this(
        queue,
        id,
        ": it never existed, was deleted, or completed and its retention has ended; check the"
            + " queue and the ID");
  }

  /**
   * @param advice the rest of the message: the reason and the next step
   */
  public TaskNotFoundException(QueueName queue, String id, String advice) {
    super("cannot find task with id=" + id + " in queue \"" + queue + "\"" + advice);
  }
}
