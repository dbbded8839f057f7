package io.asynq4j.internal.outcome;

import org.jspecify.annotations.Nullable;

/**
 * A failure that a handler or worker returned as text, instead of throwing an exception of its own.
 * Without a stack trace: it would show where the text was received, not where the attempt failed.
 */
public final class HandlerFailureException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * @param cause what the handler threw, where the text came with it; null when nothing was thrown
   */
  public HandlerFailureException(String reason, @Nullable Throwable cause) {
    super(reason, cause, /* enableSuppression= */ true, /* writableStackTrace= */ false);
  }
}
