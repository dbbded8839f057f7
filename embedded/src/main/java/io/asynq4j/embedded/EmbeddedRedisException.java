package io.asynq4j.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a server could not be started, stopped or controlled; the message states what to do.
 */
public final class EmbeddedRedisException extends RuntimeException {

  EmbeddedRedisException(String message) {
    super(message);
  }

  EmbeddedRedisException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
