package io.asynq4j;

/** The state of a task does not allow the operation. */
public final class TaskStateException extends AsynqException {

  public TaskStateException(QueueName queue, String id, String problem) {
    super("task with id=" + id + " in queue \"" + queue + "\" " + problem);
  }
}
