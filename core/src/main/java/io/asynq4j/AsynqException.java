package io.asynq4j;

import io.asynq4j.codec.PayloadException;
import org.jspecify.annotations.Nullable;

/**
 * The root of the exceptions that this library defines. All are unchecked. Invalid arguments and
 * calls in a wrong state throw {@link IllegalArgumentException} and {@link IllegalStateException}
 * instead.
 *
 * <p>Where to look: {@link BrokerException} for Redis, {@link PayloadException} for inputs and
 * results, the others for tasks, queues and schedules that are not as a call expects.
 */
public abstract class AsynqException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected AsynqException(String message) {
    super(message);
  }

  protected AsynqException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
