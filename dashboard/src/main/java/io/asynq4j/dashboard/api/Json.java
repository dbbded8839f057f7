package io.asynq4j.dashboard.api;

import java.io.ByteArrayInputStream;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes JSON. */
public final class Json {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // A number of a payload is written as it was read.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private Json() {}

  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  public static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  static JsonNode object() {
    return MAPPER.createObjectNode();
  }

  /** Empty when it is no JSON. */
  public static Optional<JsonNode> read(byte[] bytes) {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      return node == null || node.isMissingNode() ? Optional.empty() : Optional.of(node);
    } catch (JacksonException | NumberFormatException e) {
      // The latter of an exponent that a BigDecimal cannot hold.
      return Optional.empty();
    }
  }

  /** Whether it is JSON, without keeping it. */
  public static boolean isJson(byte[] bytes) {
    try (JsonParser parser = MAPPER.createParser(new ByteArrayInputStream(bytes))) {
      boolean any = false;
      while (parser.nextToken() != null) {
        any = true;
        parser.skipChildren();
        if (parser.nextToken() != null) {
          return false;
        }
        break;
      }
      return any;
    } catch (JacksonException e) {
      return false;
    }
  }
}
