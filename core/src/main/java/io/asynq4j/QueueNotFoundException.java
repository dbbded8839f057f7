package io.asynq4j;

/** Nothing was ever enqueued into this queue, or it has been removed. */
public final class QueueNotFoundException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public QueueNotFoundException(QueueName queue) {
    super("queue \"" + queue + "\" does not exist");
  }
}
