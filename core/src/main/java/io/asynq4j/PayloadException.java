package io.asynq4j;

import org.jspecify.annotations.Nullable;

/**
 * A payload that cannot be written or read. A task with such a payload is archived at once: trying
 * again would not help.
 */
public final class PayloadException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
