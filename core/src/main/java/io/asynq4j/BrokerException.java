package io.asynq4j;

/** Redis could not be reached, or refused a command. The message says which, and what to do. */
public abstract class BrokerException extends AsynqException {

  private static final long serialVersionUID = 1L;

  private final boolean mayHaveBeenApplied;

  BrokerException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, cause);
    this.mayHaveBeenApplied = mayHaveBeenApplied;
  }

  /**
   * Whether the command may have taken effect although it failed, because its answer was lost. When
   * false, it is certain that it has not.
   */
  public boolean mayHaveBeenApplied() {
    return mayHaveBeenApplied;
  }
}
