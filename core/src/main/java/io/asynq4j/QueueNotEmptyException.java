package io.asynq4j;

/** The queue still holds tasks. */
public final class QueueNotEmptyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public QueueNotEmptyException(QueueName queue, String what) {
    super("queue \"" + queue + "\" is not empty: it holds " + what + " tasks");
  }
}
