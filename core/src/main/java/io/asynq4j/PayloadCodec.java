package io.asynq4j;

import io.asynq4j.internal.codec.JsonCodec;

/**
 * Turns inputs and results into bytes and back. An implementation must be thread-safe, and must
 * never use Java serialization: whoever can write to Redis could run code then.
 */
public interface PayloadCodec {

  /** Throws {@link PayloadException} when the value cannot be written. */
  Payload encode(Object value);

  /** Throws {@link PayloadException} when the bytes are not such a value. */
  <T> T decode(Payload payload, Class<T> type);

  /**
   * JSON by Jackson 3, or by Jackson 2 when only that is on the class path. Without either, it
   * fails when it is first used.
   */
  static PayloadCodec json() {
    return JsonCodec.INSTANCE;
  }
}
