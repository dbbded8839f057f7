package io.asynq4j;

/**
 * Redis answered, and said no: out of memory, not permitted, wrong password, a key of the wrong
 * kind. Trying again does not help before somebody has changed something.
 */
public final class BrokerRefusedException extends BrokerException {

  private static final long serialVersionUID = 1L;

  /** What has to change before Redis does what it refused. */
  public enum Reason {
    /** The server: it is out of memory, cannot save to disk, does not permit it, or the like. */
    SERVER,
    /** What was asked for, or the data that it concerns. */
    REQUEST
  }

  private final Reason reason;

  public BrokerRefusedException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    this(message, mayHaveBeenApplied, cause, Reason.SERVER);
  }

  public BrokerRefusedException(
      String message, boolean mayHaveBeenApplied, Throwable cause, Reason reason) {
    super(message, mayHaveBeenApplied, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
