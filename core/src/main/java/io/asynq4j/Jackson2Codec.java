package io.asynq4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/**
 * JSON by Jackson 2, with the modules it finds, such as the one for {@code java.time}. Unknown
 * properties are ignored, so that producers may be newer.
 */
final class Jackson2Codec implements PayloadCodec {

  private final JsonMapper mapper =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
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
    } catch (IOException e) {
      String why =
          e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
      throw new PayloadException(
          "the payload (%d bytes) cannot be read as %s: %s"
              .formatted(payload.size(), type.getName(), why),
          e);
    }
  }
}
