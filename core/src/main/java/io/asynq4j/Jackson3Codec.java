package io.asynq4j;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON by Jackson 3. Unknown properties are ignored, so that producers may be newer. */
final class Jackson3Codec implements PayloadCodec {

  private final JsonMapper mapper =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JacksonException e) {
      throw new PayloadException(
          "cannot write " + value.getClass().getName() + " as JSON: " + e.getOriginalMessage(), e);
    }
  }

  @Override
  public <T> T decode(Payload payload, Class<T> type) {
    try {
      T value = mapper.readValue(payload.bytes(), type);
      if (value == null) {
        throw new PayloadException("the payload is JSON null, not " + type.getName(), null);
      }
      return value;
    } catch (JacksonException e) {
      throw new PayloadException(
          "the payload (%d bytes) cannot be read as %s: %s"
              .formatted(payload.size(), type.getName(), e.getOriginalMessage()),
          e);
    }
  }
}
