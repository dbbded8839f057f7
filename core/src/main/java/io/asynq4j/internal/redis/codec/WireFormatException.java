package io.asynq4j.internal.redis.codec;

/** Thrown for bytes that are not a valid protobuf message. */
public final class WireFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  WireFormatException(String reason) {
    super(reason);
  }
}
