package io.asynq4j;

/** Redis is unreachable, too slow or not ready (loading, busy, failing over). Retry later. */
public final class BrokerUnavailableException extends BrokerException {

  public BrokerUnavailableException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, mayHaveBeenApplied, cause);
  }
}
