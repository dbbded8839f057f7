package io.asynq4j;

/** There is no task with this id in the queue. */
public final class TaskNotFoundException extends AsynqException {

  private static final long serialVersionUID = 1L;

  public TaskNotFoundException(QueueName queue, String id) {
    this(
        queue,
        id,
        ": it was never there, was deleted, or has succeeded without retention or longer ago than that; check its queue and id");
  }

  /**
   * @param advice what to do about it, to stand behind what is missing
   */
  public TaskNotFoundException(QueueName queue, String id, String advice) {
    super("cannot find task with id=" + id + " in queue \"" + queue + "\"" + advice);
  }
}
