package io.asynq4j.internal.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.PackageVersion;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asynq4j.Payload;
import io.asynq4j.PayloadCodec;
import java.io.IOException;

/**
 * JSON by Jackson 2, with the modules it finds, such as the one for {@code java.time}. What it
 * writes and takes is what Jackson 3 does: half a fleet may have the one, half the other.
 */
public final class Jackson2Codec implements PayloadCodec {

  /** The first that can write records in the order of their components, as Jackson 3 does. */
  private static final Version OLDEST =
      new Version(2, 18, 0, null, "com.fasterxml.jackson.core", "jackson-databind");

  private final JsonMapper mapper =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(
              SerializationFeature.FAIL_ON_EMPTY_BEANS,
              SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
              SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .enable(
              MapperFeature.SORT_PROPERTIES_ALPHABETICALLY,
              MapperFeature.SORT_CREATOR_PROPERTIES_BY_DECLARATION_ORDER)
          .build();

  static PayloadCodec ofClassPath() {
    return of(PackageVersion.VERSION);
  }

  /** One that only explains itself if the version writes other bytes: those make tasks unique. */
  public static PayloadCodec of(Version version) {
    return version.compareTo(OLDEST) >= 0
        ? new Jackson2Codec()
        : new JsonCodec.MissingCodec(
            "Jackson %s on the class path is too old: use 2.18 or newer, or Jackson 3,%s"
                .formatted(version, JsonCodec.ALTERNATIVES));
  }

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
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
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
      throw PayloadErrors.of(payload, type, problem(e), line, column);
    } catch (IOException e) {
      throw PayloadErrors.of(payload, type, e.getClass().getSimpleName(), 0, 0);
    }
  }

  private static String problem(JsonProcessingException error) {
    Throwable cause = error.getCause();
    if (cause != null && !(cause instanceof JsonProcessingException)) {
      return PayloadErrors.refused(cause);
    } else if (error instanceof MismatchedInputException mismatch) {
      return PayloadErrors.mismatch(mismatch.getTargetType());
    }
    return error instanceof StreamReadException
        ? "malformed JSON"
        : error.getClass().getSimpleName();
  }
}
