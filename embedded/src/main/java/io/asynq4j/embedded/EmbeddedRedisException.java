package io.asynq4j.embedded;

import org.jspecify.annotations.Nullable;

/** A server that could not be started, stopped or steered; the message says what to do about it. */
public final class EmbeddedRedisException extends RuntimeException {

  EmbeddedRedisException(String message) {
    super(message);
  }

  EmbeddedRedisException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
