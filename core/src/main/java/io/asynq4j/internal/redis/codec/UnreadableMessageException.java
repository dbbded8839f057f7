package io.asynq4j.internal.redis.codec;

/** Thrown when a stored message cannot be decoded or belongs to another task. */
public final class UnreadableMessageException extends Exception {

  UnreadableMessageException(String reason) {
    super(reason);
  }
}
