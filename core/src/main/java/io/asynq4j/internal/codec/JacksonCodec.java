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

  /** The kinds of failures that both versions distinguish. */
  enum Kind {
    MALFORMED,
    MISMATCH,
    INVALID_CLASS,
    OTHER
  }

  /**
   * A failure as Jackson describes it.
   *
   * @param message Jackson's message; may quote the input
   * @param cause what the class to be read has thrown
   * @param target the class that the JSON does not match
   * @param property the last property on the way to the problem
   * @param line 0 if unknown
   * @param column 0 if unknown
   */
  record Failure(
      Kind kind,
      String message,
      @Nullable Throwable cause,
      @Nullable Class<?> target,
      @Nullable String property,
      int line,
      int column) {

    private String problem(Exception error) {
      if (cause != null) {
        return "the class itself refuses it with " + cause.getClass().getName();
      }
      return switch (kind) {
        case MALFORMED -> "malformed JSON";
        case MISMATCH -> mismatch();
        case INVALID_CLASS, OTHER -> error.getClass().getSimpleName();
      };
    }

    private String mismatch() {
      if (RecordComponents.isMissing(message) && property != null) {
        return "component \"%s\" is missing; the producer may have renamed it, or declare it @Nullable or Optional"
            .formatted(property);
      }
      return target == null ? "it has another shape" : "no " + target.getName();
    }

    private String position() {
      return line > 0 && column > 0 ? " at line %d, column %d".formatted(line, column) : "";
    }
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
      Failure failure = failure(e);
      // Says something of the class only.
      boolean isSafe = failure.kind() == Kind.INVALID_CLASS;
      throw new PayloadException(
          "cannot write %s as JSON: %s"
              .formatted(
                  value.getClass().getName(),
                  isSafe ? failure.message() : e.getClass().getSimpleName()),
          null);
    }
  }

  @Override
  public final Object decode(Payload payload, Type type) {
    String name = type.getTypeName();
    if (payload.size() == 0) {
      throw new PayloadException("the payload is empty, so there is no " + name, null);
    }
    Object value;
    try {
      value = read(payload.bytes(), type);
    } catch (IOException | RuntimeException e) {
      Failure failure = failure(e);
      throw new PayloadException(
          "the payload (%d bytes) cannot be read as %s: %s%s"
              .formatted(payload.size(), name, failure.problem(e), failure.position()),
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
    return described.orElseGet(() -> new Failure(Kind.OTHER, "", null, null, null, 0, 0));
  }
}
