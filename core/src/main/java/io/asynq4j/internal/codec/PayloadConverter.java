package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.PayloadCodec;
import io.asynq4j.PayloadException;
import io.asynq4j.Task;
import org.jspecify.annotations.Nullable;

/** What travels as it is, and what through a codec. */
public final class PayloadConverter {

  private PayloadConverter() {}

  public static Payload encode(@Nullable Object value, Class<?> type, PayloadCodec codec) {
    if (type == Void.class) {
      return Payload.absent();
    }
    if (value == null) {
      throw new IllegalArgumentException(
          "a task of this type needs an input, a "
              + type.getTypeName()
              + "; declare the type without one if there is none");
    }
    if (value instanceof Payload payload) {
      return payload;
    }
    if (value instanceof byte[] bytes) {
      return Payload.of(bytes);
    }
    return codec.encode(value);
  }

  // A task without input gives null to a handler that declared Void and expects nothing.
  @SuppressWarnings("NullAway")
  public static <T> T decode(Task task, Class<T> type, PayloadCodec codec) {
    if (type == Void.class) {
      return null;
    }
    if (type == Payload.class) {
      return type.cast(task.payload());
    }
    if (type == byte[].class) {
      return type.cast(task.payload().bytes());
    }
    try {
      return codec.decode(task.payload(), type);
    } catch (PayloadException e) {
      throw new PayloadException(
          "task type \"%s\": %s".formatted(task.type(), e.getMessage()), e.getCause());
    } catch (RuntimeException e) {
      // Not its message, which may quote the input.
      throw new PayloadException(
          "task type \"%s\": the payload (%d bytes) cannot be read as %s: the codec failed with %s"
              .formatted(
                  task.type(), task.payload().size(), type.getName(), e.getClass().getName()),
          e);
    }
  }
}
