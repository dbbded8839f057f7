package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON by either version of Jackson. Equal inputs become equal bytes with both, since the lock of a
 * unique task is derived from them and a fleet may use both.
 *
 * <p>Exceptions report the kind of problem and its position. They never contain the messages of
 * Jackson, which quote the input.
 */
abstract sealed class JacksonCodec implements PayloadCodec permits Jackson2Codec, Jackson3Codec {

  /** Prefix of the message of both versions of Jackson. */
  private static final String MISSING = "Missing required creator property";

  /**
   * A failure as Jackson describes it.
   *
   * @param problem what is wrong, without the input
   * @param ofClass what is wrong with the class itself; null if it is not the problem
   * @param line 0 if unknown
   * @param column 0 if unknown
   */
  record Failure(String problem, @Nullable String ofClass, int line, int column) {

    private String position() {
      return line > 0 && column > 0 ? " at line %d, column %d".formatted(line, column) : "";
    }
  }

  /** The problem if the class to be read has thrown an exception. */
  static String refusal(Throwable cause) {
    return "the constructor threw " + cause.getClass().getName();
  }

  /**
   * The problem if the JSON does not match the class.
   *
   * @param message of Jackson; may quote the input
   * @param property the last property on the way to the problem
   */
  static String mismatch(
      @Nullable String message, @Nullable String property, @Nullable Class<?> target) {
    if (property != null && message != null && message.startsWith(MISSING)) {
      return "component \"%s\" is missing; the producer may have renamed it, or declare it @Nullable or Optional"
          .formatted(property);
    }
    return target == null ? "the JSON has a different structure" : "no " + target.getName();
  }

  abstract byte[] write(Object value) throws IOException;

  abstract @Nullable Object read(byte[] json, Type type) throws IOException;

  /** Returns empty if the exception is not one of Jackson. */
  abstract Optional<Failure> describe(Exception error);

  @Override
  public final Payload encode(Object value) {
    try {
      return Payload.of(write(value));
    } catch (IOException | RuntimeException e) {
      String ofClass = failure(e).ofClass();
      throw new PayloadException(
          "cannot write %s as JSON: %s"
              .formatted(
                  value.getClass().getName(),
                  ofClass != null ? ofClass : e.getClass().getSimpleName()),
          null);
    }
  }

  @Override
  public final Object decode(Payload payload, Type type) {
    String name = type.getTypeName();
    if (payload.size() == 0) {
      throw new PayloadException(
          "cannot decode an empty payload as "
              + name
              + "; enqueue the task with an input, or declare its type without one",
          null);
    }
    Object value;
    try {
      value = read(payload.bytes(), type);
    } catch (IOException | RuntimeException e) {
      Failure failure = failure(e);
      throw new PayloadException(
          "the payload (%d bytes) cannot be read as %s: %s%s"
              .formatted(payload.size(), name, failure.problem(), failure.position()),
          null);
    }
    if (value == null) {
      throw new PayloadException("the payload is JSON null, not " + name, null);
    }
    return value;
  }

  /** Rethrows exceptions that are neither Jackson's nor I/O errors. */
  private Failure failure(Exception error) {
    Optional<Failure> described = describe(error);
    if (described.isEmpty() && error instanceof RuntimeException e) {
      throw e;
    }
    return described.orElseGet(() -> new Failure(error.getClass().getSimpleName(), null, 0, 0));
  }
}
