package io.asynq4j.internal.redis.codec;

/** A stored message that is none, or is another task's. */
public final class UnreadableMessageException extends Exception {

  private static final long serialVersionUID = 1L;

  UnreadableMessageException(String reason) {
    super(reason);
  }
}
