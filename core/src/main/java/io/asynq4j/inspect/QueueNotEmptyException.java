package io.asynq4j.inspect;

import io.asynq4j.AsynqException;
import io.asynq4j.QueueName;

/** A queue cannot be removed, because it contains tasks. */
public final class QueueNotEmptyException extends AsynqException {

  public QueueNotEmptyException(QueueName queue, String what) {
    super(
        "queue \"%s\" is not empty: it holds %s tasks; let them end, or delete them first"
            .formatted(queue, what));
  }
}
