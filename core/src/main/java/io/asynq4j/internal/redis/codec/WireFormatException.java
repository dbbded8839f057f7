package io.asynq4j.internal.redis.codec;

/**
 * Thrown for bytes that are not a valid protobuf message. Unchecked: code that decodes stored bytes
 * must catch it.
 */
public final class WireFormatException extends RuntimeException {

  WireFormatException(String reason) {
    super(reason);
  }
}
