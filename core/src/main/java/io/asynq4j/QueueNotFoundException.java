package io.asynq4j;

/** A queue does not exist: no task was ever enqueued in it, or it was removed. */
public final class QueueNotFoundException extends AsynqException {

  public QueueNotFoundException(QueueName queue) {
    super(
        "queue \"%s\" does not exist: nothing was ever enqueued into it, or it was removed; check its name"
            .formatted(queue));
  }
}
