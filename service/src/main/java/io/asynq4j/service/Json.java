package io.asynq4j.service;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SequenceWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON as trees. */
final class Json {

  /** Numbers keep their digits: ids may be larger than a double can hold. */
  static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private static final ObjectWriter LINES = MAPPER.writer().withRootValueSeparator("\n");

  private Json() {}

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Throws {@link Problem} with the place, never the contents. */
  static JsonNode parse(byte[] bytes, String what) {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      if (node == null || node.isMissingNode()) {
        throw new Problem(400, "bad-json", what + " is empty; JSON is expected");
      }
      return node;
    } catch (JacksonException e) {
      String place =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new Problem(400, "bad-json", what + " is no valid JSON" + place);
    }
  }

  static byte[] bytes(JsonNode node) {
    return MAPPER.writeValueAsBytes(node);
  }

  /** One in each line. */
  static byte[] lines(List<ObjectNode> nodes) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (SequenceWriter writer = LINES.writeValues(all)) {
      nodes.forEach(writer::write);
    }
    if (!nodes.isEmpty()) {
      all.write('\n');
    }
    return all.toByteArray();
  }

  /** A plain scalar of YAML's core schema. */
  static JsonNode scalar(String text) {
    JsonNodeFactory factory = JsonNodeFactory.instance;
    switch (text) {
      case "true" -> {
        return factory.booleanNode(true);
      }
      case "false" -> {
        return factory.booleanNode(false);
      }
      case "", "~", "null" -> {
        return factory.nullNode();
      }
      default -> {
        try {
          if (text.matches("[-+]?\\d{1,18}")) {
            return factory.numberNode(Long.parseLong(text));
          }
          return text.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d{1,4})?")
              ? factory.numberNode(new BigDecimal(text))
              : factory.stringNode(text);
        } catch (NumberFormatException e) {
          return factory.stringNode(text);
        }
      }
    }
  }
}
