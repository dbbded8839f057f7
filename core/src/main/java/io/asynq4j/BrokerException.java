package io.asynq4j;

/**
 * Redis is unavailable or rejected a command. The message has the reason and, where one is known,
 * the next step.
 */
public abstract class BrokerException extends AsynqException {

  private final boolean mayHaveBeenApplied;

  BrokerException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, cause);
    this.mayHaveBeenApplied = mayHaveBeenApplied;
  }

  /**
   * Returns whether the command may have taken effect, because its reply was lost. If false, it
   * certainly has not.
   */
  public boolean mayHaveBeenApplied() {
    return mayHaveBeenApplied;
  }
}
