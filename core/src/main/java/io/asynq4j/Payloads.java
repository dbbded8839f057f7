package io.asynq4j;

import org.jspecify.annotations.Nullable;

/** What travels as it is, and what through a codec. */
final class Payloads {

  private Payloads() {}

  static Payload encode(@Nullable Object value, Class<?> type, PayloadCodec codec) {
    if (type == Void.class || value == null) {
      return Payload.absent();
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
  static <T> T decode(Task task, Class<T> type, PayloadCodec codec) {
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
    } catch (RuntimeException e) {
      throw e instanceof PayloadException known
          ? known
          : new PayloadException(
              "the payload of task type \"%s\" (%d bytes) cannot be read as %s: %s"
                  .formatted(
                      task.type(),
                      task.payload().size(),
                      type.getName(),
                      e.getClass().getSimpleName()),
              e);
    }
  }
}
