package io.asynq4j;

/** Redis is unreachable, too slow or not ready (loading, busy, failing over). Retry later. */
public final class BrokerUnavailableException extends BrokerException {

  private static final long serialVersionUID = 1L;

  public BrokerUnavailableException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, mayHaveBeenApplied, cause);
  }
}
