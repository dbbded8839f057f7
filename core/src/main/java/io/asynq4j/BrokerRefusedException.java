package io.asynq4j;

/**
 * Redis answered, and said no: out of memory, not permitted, wrong password, a key of the wrong
 * kind. Trying again does not help before somebody has changed something.
 */
public final class BrokerRefusedException extends BrokerException {

  private static final long serialVersionUID = 1L;

  public BrokerRefusedException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, mayHaveBeenApplied, cause);
  }
}
