package io.asynq4j;

import io.asynq4j.codec.PayloadException;
import org.jspecify.annotations.Nullable;

/**
 * Base of the exceptions of this library. All are unchecked. Invalid arguments and calls in a wrong
 * state throw {@link IllegalArgumentException} and {@link IllegalStateException} instead.
 *
 * <p>{@link BrokerException} reports problems with Redis, and {@link PayloadException} those with
 * inputs and results. The others report tasks, queues or schedules in an unexpected state.
 */
public abstract class AsynqException extends RuntimeException {

  protected AsynqException(String message) {
    super(message);
  }

  protected AsynqException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
