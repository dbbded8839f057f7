package io.asynq4j.internal.codec;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
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
 */
public final class Jackson3Codec extends JacksonCodec {

  private final ObjectMapper mapper;

  public Jackson3Codec() {
    this(defaults().build());
  }

  private Jackson3Codec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** Returns a codec that rejects JSON without a required component of a record. */
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

  /** Returns a codec with a mapper of the application. */
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
  byte[] write(Object value) {
    return mapper.writeValueAsBytes(value);
  }

  @Override
  @Nullable Object read(byte[] json, Type type) {
    return mapper.readValue(json, mapper.constructType(type));
  }

  @Override
  Optional<Failure> describe(Exception error) {
    if (!(error instanceof JacksonException e)) {
      return Optional.empty();
    }
    TokenStreamLocation location = e.getLocation();
    Class<?> target = null;
    String property = null;
    Kind kind = Kind.OTHER;
    if (e instanceof MismatchedInputException mismatch) {
      kind = Kind.MISMATCH;
      target = mismatch.getTargetType();
      List<JacksonException.Reference> path = mismatch.getPath();
      property = path.isEmpty() ? null : path.get(path.size() - 1).getPropertyName();
    } else if (e instanceof InvalidDefinitionException) {
      kind = Kind.INVALID_CLASS;
    } else if (e instanceof StreamReadException) {
      kind = Kind.MALFORMED;
    }
    return Optional.of(
        new Failure(
            kind,
            Objects.toString(e.getOriginalMessage()),
            e.getCause() instanceof JacksonException ? null : e.getCause(),
            target,
            property,
            location == null ? 0 : location.getLineNr(),
            location == null ? 0 : location.getColumnNr()));
  }
}
