package io.asynq4j.internal.outcome;

/** An attempt exceeded its time limit. The message is the same as that of Go workers. */
public final class DeadlineExceededException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public DeadlineExceededException() {
    super("context deadline exceeded");
  }
}
