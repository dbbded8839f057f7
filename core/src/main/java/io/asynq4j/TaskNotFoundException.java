package io.asynq4j;

/** The queue has no task with this ID. */
public final class TaskNotFoundException extends AsynqException {

  private static final long serialVersionUID = 1L;

  public TaskNotFoundException(QueueName queue, String id) {
    this(
        queue,
        id,
        ": it was never there, was deleted, or has succeeded without retention or longer ago than"
            + " that; check its queue and id");
  }

  /**
   * @param advice the rest of the message: the reason and the next step
   */
  public TaskNotFoundException(QueueName queue, String id, String advice) {
    super("cannot find task with id=" + id + " in queue \"" + queue + "\"" + advice);
  }
}
