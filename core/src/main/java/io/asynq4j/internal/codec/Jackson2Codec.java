package io.asynq4j.internal.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.PackageVersion;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * JSON by Jackson 2, by default with the modules it finds, such as the one for {@code java.time}.
 * It writes and accepts what Jackson 3 does: half a fleet may have the one, half the other.
 */
public final class Jackson2Codec implements PayloadCodec {

  /** The first that can write records in the order of their components, as Jackson 3 does. */
  private static final Version OLDEST =
      new Version(2, 18, 0, null, "com.fasterxml.jackson.core", "jackson-databind");

  private final ObjectMapper mapper;

  public Jackson2Codec() {
    this(defaults().build());
  }

  private Jackson2Codec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** Refuses JSON that lacks a required component of a record. */
  public static Jackson2Codec strict() {
    return new Jackson2Codec(
        defaults()
            .annotationIntrospector(
                AnnotationIntrospector.pair(
                    new RequiredComponents(), new JacksonAnnotationIntrospector()))
            .build());
  }

  private static final class RequiredComponents extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
      if (member instanceof AnnotatedParameter parameter
          && RecordComponents.isRequired(parameter.getOwner().getMember(), parameter.getIndex())) {
        return Boolean.TRUE;
      }
      return null;
    }
  }

  /** With a mapper of the application. */
  static Jackson2Codec by(Object mapper) {
    return new Jackson2Codec((ObjectMapper) mapper);
  }

  private static JsonMapper.Builder defaults() {
    return JsonMapper.builder()
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
            MapperFeature.SORT_CREATOR_PROPERTIES_BY_DECLARATION_ORDER);
  }

  static PayloadCodec ofClassPath(boolean strict) {
    return of(PackageVersion.VERSION, strict);
  }

  /** One that only explains itself if the version writes other bytes: those make tasks unique. */
  public static PayloadCodec of(Version version, boolean strict) {
    return version.compareTo(OLDEST) >= 0
        ? (strict ? strict() : new Jackson2Codec())
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
  public Object decode(Payload payload, Type type) {
    if (payload.size() == 0) {
      throw PayloadErrors.empty(type);
    }
    try {
      Object value = mapper.readValue(payload.bytes(), mapper.constructType(type));
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
      List<JsonMappingException.Reference> path = mismatch.getPath();
      if (RecordComponents.isMissing(Objects.toString(mismatch.getOriginalMessage()))
          && !path.isEmpty()) {
        return PayloadErrors.missing(path.get(path.size() - 1).getFieldName());
      }
      return PayloadErrors.mismatch(mismatch.getTargetType());
    }
    return error instanceof StreamReadException
        ? "malformed JSON"
        : error.getClass().getSimpleName();
  }
}
