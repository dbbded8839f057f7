package io.asynq4j;

/** There is no task with this id in the queue. */
public final class TaskNotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public TaskNotFoundException(QueueName queue, String id) {
    this(queue, id, "");
  }

  /**
   * @param advice what to do about it, to stand behind what is missing
   */
  public TaskNotFoundException(QueueName queue, String id, String advice) {
    super("cannot find task with id=" + id + " in queue \"" + queue + "\"" + advice);
  }
}
