package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Says why JSON cannot be read: the kind of problem and where it is. What a JSON library says by
 * itself quotes the input, which belongs in no log.
 */
final class PayloadErrors {

  private PayloadErrors() {}

  /** There is nothing to be read. */
  static PayloadException empty(Type type) {
    return new PayloadException("the payload is empty, so there is no " + type.getTypeName(), null);
  }

  /** It is the JSON value null. */
  static PayloadException isNull(Type type) {
    return new PayloadException("the payload is JSON null, not " + type.getTypeName(), null);
  }

  static PayloadException of(Payload payload, Type type, String problem, int line, int column) {
    String where = line > 0 && column > 0 ? " at line %d, column %d".formatted(line, column) : "";
    return new PayloadException(
        "the payload (%d bytes) cannot be read as %s: %s%s"
            .formatted(payload.size(), type.getTypeName(), problem, where),
        null);
  }

  /** A value of the JSON does not fit what it is to become. */
  static String mismatch(@Nullable Class<?> target) {
    return target == null ? "it has another shape" : "no " + target.getName();
  }

  /** The JSON lacks a component of a record, which a strict codec requires. */
  static String missing(@Nullable String component) {
    return "component \"%s\" is missing; the producer may have renamed it, or declare it @Nullable or Optional"
        .formatted(component);
  }

  /** The class that the JSON is to become has thrown this. */
  static String refused(Throwable cause) {
    return "the class itself refuses it with " + cause.getClass().getName();
  }

  /** A value cannot be written. What a library says of types is shown, the rest may quote. */
  static PayloadException unwritable(Object value, String problem) {
    return new PayloadException(
        "cannot write %s as JSON: %s".formatted(value.getClass().getName(), problem), null);
  }
}
