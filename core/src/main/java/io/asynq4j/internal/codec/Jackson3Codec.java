package io.asynq4j.internal.codec;

import io.asynq4j.Payload;
import io.asynq4j.codec.PayloadCodec;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson 3. By default, unknown properties are ignored, so that producers may be newer.
 * Equal inputs become equal bytes, and the same as by Jackson 2, since the lock of a unique task is
 * derived from them.
 */
public final class Jackson3Codec implements PayloadCodec {

  private final ObjectMapper mapper;

  public Jackson3Codec() {
    this(defaults().build());
  }

  private Jackson3Codec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** Refuses JSON that lacks a required component of a record. */
  public static Jackson3Codec strict() {
    return new Jackson3Codec(
        defaults()
            .annotationIntrospector(
                AnnotationIntrospector.pair(
                    new RequiredComponents(), new JacksonAnnotationIntrospector()))
            .build());
  }

  private static final class RequiredComponents extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
      if (member instanceof AnnotatedParameter parameter
          && RecordComponents.isRequired(parameter.getOwner().getMember(), parameter.getIndex())) {
        return Boolean.TRUE;
      }
      return null;
    }
  }

  /** With a mapper of the application. */
  static Jackson3Codec by(Object mapper) {
    return new Jackson3Codec((ObjectMapper) mapper);
  }

  private static JsonMapper.Builder defaults() {
    return JsonMapper.builder()
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
        .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING);
  }

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JacksonException e) {
      throw PayloadErrors.unwritable(
          value,
          e instanceof InvalidDefinitionException
              ? Objects.toString(e.getOriginalMessage())
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
      List<JacksonException.Reference> path = mismatch.getPath();
      if (RecordComponents.isMissing(Objects.toString(mismatch.getOriginalMessage()))
          && !path.isEmpty()) {
        return PayloadErrors.missing(path.get(path.size() - 1).getPropertyName());
      }
      return PayloadErrors.mismatch(mismatch.getTargetType());
    }
    return error instanceof StreamReadException
        ? "malformed JSON"
        : error.getClass().getSimpleName();
  }
}
