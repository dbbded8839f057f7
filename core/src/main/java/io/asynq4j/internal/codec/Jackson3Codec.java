package io.asynq4j.internal.codec;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
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
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson 3. By default, unknown properties are ignored, so that producers may be newer.
 */
public final class Jackson3Codec extends JacksonCodec {

  private final ObjectMapper mapper;

  /**
   * @param strict whether to reject JSON without a required component of a record
   */
  public Jackson3Codec(boolean strict) {
    this(mapper(strict));
  }

  /** Uses a mapper of the application. */
  Jackson3Codec(Object mapper) {
    this.mapper = (ObjectMapper) mapper;
  }

  private static final class RequiredComponents extends JacksonAnnotationIntrospector {
    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
      boolean isRequired =
          member instanceof AnnotatedParameter parameter
              && RecordComponents.isRequired(
                  parameter.getOwner().getMember(), parameter.getIndex());
      return isRequired ? Boolean.TRUE : super.hasRequiredMarker(config, member);
    }
  }

  private static ObjectMapper mapper(boolean strict) {
    JsonMapper.Builder mapper =
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .disable(
                EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING);
    if (strict) {
      mapper.annotationIntrospector(new RequiredComponents());
    }
    return mapper.build();
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
    String problem = e.getClass().getSimpleName();
    if (e.getCause() != null && !(e.getCause() instanceof JacksonException)) {
      problem = refusal(e.getCause());
    } else if (e instanceof MismatchedInputException mismatch) {
      List<JacksonException.Reference> path = mismatch.getPath();
      String property = path.isEmpty() ? null : path.get(path.size() - 1).getPropertyName();
      problem = mismatch(e.getOriginalMessage(), property, mismatch.getTargetType());
    } else if (e instanceof StreamReadException) {
      problem = "malformed JSON";
    }
    return Optional.of(
        new Failure(
            problem,
            e instanceof InvalidDefinitionException ? e.getOriginalMessage() : null,
            location == null ? 0 : location.getLineNr(),
            location == null ? 0 : location.getColumnNr()));
  }
}
