package io.asynq4j.service.gearman;

/** Why a request is not carried out, as the peer is told in an ERROR packet. */
final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final String code;

  Refusal(String code, String message) {
    super(message, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.code = code;
  }

  /** A packet that makes no sense. */
  static Refusal invalid(String message) {
    return new Refusal("INVALID_ARGUMENTS", message);
  }

  /** A word that programs can compare; gearmand's where it has one. */
  String code() {
    return code;
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
