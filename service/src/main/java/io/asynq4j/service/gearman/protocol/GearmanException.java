package io.asynq4j.service.gearman.protocol;

import io.asynq4j.BrokerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reason for a refused request, which is sent to the peer in an ERROR packet. */
public final class GearmanException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private static final Logger log = LoggerFactory.getLogger(GearmanException.class);

  private final String code;

  public GearmanException(String code, String message) {
    super(message, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.code = code;
  }

  /** An invalid packet. */
  public static GearmanException invalid(String message) {
    return new GearmanException("INVALID_ARGUMENTS", message);
  }

  public static GearmanException shuttingDown() {
    return new GearmanException("SHUTDOWN", "the gateway is shutting down; ask another one");
  }

  /** The message that a peer receives for a failure. */
  public static GearmanException of(RuntimeException e) {
    if (e instanceof GearmanException refusal) {
      return refusal;
    }
    if (e instanceof BrokerException) {
      return new GearmanException(
          "QUEUE_ERROR", "Redis does not respond or refuses; try again later");
    }
    log.error("a request of a gearman peer failed", e);
    return new GearmanException("SERVER_ERROR", "the gateway has failed; see its log");
  }

  /** A code for programs; that of gearmand where it has one. */
  public String code() {
    return code;
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
