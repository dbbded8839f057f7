package io.asynq4j.redis;

/** A stored message that is none, or is another task's. */
final class UnreadableMessageException extends Exception {

  private static final long serialVersionUID = 1L;

  UnreadableMessageException(String reason) {
    super(reason);
  }
}
