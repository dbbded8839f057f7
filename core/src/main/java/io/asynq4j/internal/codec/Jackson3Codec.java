package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.PayloadCodec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson 3. Unknown properties are ignored, so that producers may be newer. Equal inputs
 * become equal bytes, and the same as by Jackson 2, since the lock of a unique task is made of
 * them.
 */
public final class Jackson3Codec implements PayloadCodec {

  private final JsonMapper mapper =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING)
          .build();

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JacksonException e) {
      throw PayloadErrors.unwritable(
          value,
          e instanceof InvalidDefinitionException
              ? e.getOriginalMessage()
              : e.getClass().getSimpleName());
    }
  }

  @Override
  public <T> T decode(Payload payload, Class<T> type) {
    if (payload.size() == 0) {
      throw PayloadErrors.empty(type);
    }
    try {
      T value = mapper.readValue(payload.bytes(), type);
      if (value == null) {
        throw PayloadErrors.isNull(type);
      }
      return value;
    } catch (JacksonException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
      throw PayloadErrors.of(payload, type, problem(e), line, column);
    }
  }

  private static String problem(JacksonException error) {
    Throwable cause = error.getCause();
    if (cause != null && !(cause instanceof JacksonException)) {
      return PayloadErrors.refused(cause);
    } else if (error instanceof MismatchedInputException mismatch) {
      return PayloadErrors.mismatch(mismatch.getTargetType());
    }
    return error instanceof StreamReadException
        ? "malformed JSON"
        : error.getClass().getSimpleName();
  }
}
