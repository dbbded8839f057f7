package io.asynq4j.internal.server.attempt;

import org.jspecify.annotations.Nullable;

/** A failure that a handler has put into words, instead of throwing an exception of its own. */
final class HandlerFailureException extends RuntimeException {

  private static final long serialVersionUID = 1;

  HandlerFailureException(String reason, @Nullable Throwable cause) {
    super(reason, cause);
  }
}
