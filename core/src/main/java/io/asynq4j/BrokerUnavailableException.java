package io.asynq4j;

/**
 * Redis is out of reach, too slow, or not ready (loading, busy, failing over). It may help to try
 * again later.
 */
public final class BrokerUnavailableException extends BrokerException {

  private static final long serialVersionUID = 1L;

  public BrokerUnavailableException(String message, boolean mayHaveBeenApplied, Throwable cause) {
    super(message, mayHaveBeenApplied, cause);
  }
}
