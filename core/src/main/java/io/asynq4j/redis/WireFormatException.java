package io.asynq4j.redis;

/** Bytes that are not a protobuf message. */
final class WireFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  WireFormatException(String reason) {
    super(reason);
  }
}
