package io.asynq4j.codec;

import io.asynq4j.AsynqException;
import org.jspecify.annotations.Nullable;

/**
 * An input or a result cannot be encoded or decoded. A task whose payload cannot be decoded is
 * archived at once, because a retry would fail too.
 */
public final class PayloadException extends AsynqException {

  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
