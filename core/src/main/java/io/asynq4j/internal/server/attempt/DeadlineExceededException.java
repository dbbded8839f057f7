package io.asynq4j.internal.server.attempt;

/** The time for a task was up. The text is the one that Go workers leave in such a case. */
final class DeadlineExceededException extends RuntimeException {

  private static final long serialVersionUID = 1;

  DeadlineExceededException() {
    super("context deadline exceeded");
  }
}
