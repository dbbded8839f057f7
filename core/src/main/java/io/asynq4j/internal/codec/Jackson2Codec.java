package io.asynq4j.internal.codec;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.exc.StreamReadException;
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
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asynq4j.codec.PayloadCodec;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON by Jackson 2, by default with the modules it finds, such as the one for {@code java.time}.
 */
public final class Jackson2Codec extends JacksonCodec {

  /** The first version that writes records in the order of their components, as Jackson 3 does. */
  private static final Version OLDEST =
      new Version(2, 18, 0, null, "com.fasterxml.jackson.core", "jackson-databind");

  private final ObjectMapper mapper;

  /**
   * @param strict whether to reject JSON without a required component of a record
   */
  public Jackson2Codec(boolean strict) {
    this(mapper(strict));
  }

  /** Uses a mapper of the application. */
  Jackson2Codec(Object mapper) {
    this.mapper = (ObjectMapper) mapper;
  }

  private static final class RequiredComponents extends JacksonAnnotationIntrospector {
    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
      boolean isRequired =
          member instanceof AnnotatedParameter parameter
              && RecordComponents.isRequired(
                  parameter.getOwner().getMember(), parameter.getIndex());
      return isRequired ? Boolean.TRUE : super.hasRequiredMarker(member);
    }
  }

  private static ObjectMapper mapper(boolean strict) {
    JsonMapper.Builder mapper =
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
                MapperFeature.SORT_CREATOR_PROPERTIES_BY_DECLARATION_ORDER);
    if (strict) {
      mapper.annotationIntrospector(new RequiredComponents());
    }
    return mapper.build();
  }

  static PayloadCodec ofClassPath(boolean strict) {
    return of(PackageVersion.VERSION, strict);
  }

  /** Fails if this version writes different bytes than Jackson 3. */
  public static PayloadCodec of(Version version, boolean strict) {
    if (version.compareTo(OLDEST) < 0) {
      throw new LinkageError(
          "Jackson %s on the class path is too old: use 2.18 or newer, or Jackson 3,%s"
              .formatted(version, JsonCodec.ALTERNATIVES));
    }
    return new Jackson2Codec(strict);
  }

  @Override
  byte[] write(Object value) throws IOException {
    return mapper.writeValueAsBytes(value);
  }

  @Override
  @Nullable Object read(byte[] json, Type type) throws IOException {
    return mapper.readValue(json, mapper.constructType(type));
  }

  @Override
  Optional<Failure> describe(Exception error) {
    if (!(error instanceof JsonProcessingException e)) {
      return Optional.empty();
    }
    JsonLocation location = e.getLocation();
    String problem = e.getClass().getSimpleName();
    if (e.getCause() != null && !(e.getCause() instanceof JsonProcessingException)) {
      problem = refusal(e.getCause());
    } else if (e instanceof MismatchedInputException mismatch) {
      List<JsonMappingException.Reference> path = mismatch.getPath();
      String property = path.isEmpty() ? null : path.get(path.size() - 1).getFieldName();
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
