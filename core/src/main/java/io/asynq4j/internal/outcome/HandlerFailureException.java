package io.asynq4j.internal.outcome;

import org.jspecify.annotations.Nullable;

/**
 * A failure that a handler or worker returned as text, without an exception. It has no stack trace,
 * which would show where the text was received, not where the attempt failed.
 */
public final class HandlerFailureException extends RuntimeException {

  /**
   * @param cause the exception that carried the text; null if nothing was thrown
   */
  public HandlerFailureException(String reason, @Nullable Throwable cause) {
    super(reason, cause, /* enableSuppression= */ true, /* writableStackTrace= */ false);
  }
}
