package io.asynq4j.internal.redis.codec;

/** Bytes that are not a protobuf message. */
public final class WireFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  WireFormatException(String reason) {
    super(reason);
  }
}
