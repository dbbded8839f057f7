package io.asynq4j.internal.outcome;

/** The attempt took longer than it may. The text is the one that Go workers leave in this case. */
public final class DeadlineExceededException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public DeadlineExceededException() {
    super("context deadline exceeded");
  }
}
