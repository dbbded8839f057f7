package io.asynq4j.internal.outcome;

/** An attempt exceeded its time limit. The message is the same as that of Go workers. */
public final class DeadlineExceededException extends RuntimeException {

  public DeadlineExceededException() {
    super("context deadline exceeded");
  }
}
