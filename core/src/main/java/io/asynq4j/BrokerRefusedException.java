package io.asynq4j;

/**
 * Redis refused a command, for example because it is out of memory, because of missing permissions
 * or a wrong password, or because a key has the wrong type. A retry fails until the cause is fixed.
 */
public final class BrokerRefusedException extends BrokerException {

  /** What must change before Redis accepts the command. */
  public enum Reason {
    /** The Redis server: for example its memory, disk or permissions. */
    SERVER,
    /** The command, or the data that it uses. */
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
