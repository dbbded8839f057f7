package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Converts inputs and results: bytes are passed on unchanged, other types through a codec. */
public final class PayloadConverter {

  private PayloadConverter() {}

  public static Payload encode(@Nullable Object value, Type type, PayloadCodec codec) {
    if (type == Void.class) {
      return Payload.absent();
    }
    if (value == null) {
      throw new IllegalArgumentException(
          "a task of this type needs an input, a "
              + type.getTypeName()
              + "; declare the type without one if there is none");
    }
    return encode(value, codec);
  }

  public static Payload encode(Object value, PayloadCodec codec) {
    if (value instanceof Payload payload) {
      return payload;
    }
    return value instanceof byte[] bytes ? Payload.of(bytes) : codec.encode(value);
  }

  /**
   * Returns the input or the result of a task; null if it is {@code Void}.
   *
   * @param what {@code payload} or {@code result}
   */
  public static @Nullable Object decode(
      String taskType, String what, Payload payload, Type type, PayloadCodec codec) {
    if (type == Void.class) {
      return null;
    }
    if (type == Payload.class) {
      return payload;
    }
    if (type == byte[].class) {
      return payload.bytes();
    }
    try {
      return codec.decode(payload, type);
    } catch (PayloadException e) {
      String problem = "task type \"%s\": %s".formatted(taskType, e.getMessage());
      throw new PayloadException(
          what.equals("payload") ? problem : problem + " (it was read as the result)",
          e.getCause());
    } catch (RuntimeException e) {
      // Not its message, which may quote the input.
      throw new PayloadException(
          "task type \"%s\": the %s (%d bytes) cannot be read as %s: the codec failed with %s"
              .formatted(
                  taskType, what, payload.size(), type.getTypeName(), e.getClass().getName()),
          e);
    }
  }
}
