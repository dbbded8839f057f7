package io.asynq4j.service.api;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SequenceWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.ValueNode;

/** JSON as trees. */
public final class Json {

  /** Numbers keep their digits: ids may be larger than a double can hold. */
  public static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  /** The same for what comes from outside. */
  private static final JsonMapper BOUNDED =
      MAPPER.rebuild().nodeFactory(new BoundedNumbers()).build();

  private static final ObjectWriter LINES = MAPPER.writer().withRootValueSeparator("\n");

  private Json() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** What is stored, by whomever; empty when it is no JSON. */
  public static Optional<JsonNode> read(byte[] bytes) {
    try {
      return Optional.of(MAPPER.readTree(bytes)).filter(node -> !node.isMissingNode());
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Throws {@link Problem} with the place, never the contents. */
  public static JsonNode parse(byte[] bytes, String what) {
    try {
      JsonNode node = BOUNDED.readTree(bytes);
      if (node == null || node.isMissingNode()) {
        throw new Problem(400, "bad-json", what + " is empty; JSON is expected");
      }
      return node;
    } catch (StreamConstraintsException e) {
      throw new Problem(400, "bad-json", what + " exceeds a limit: " + e.getOriginalMessage());
    } catch (NumberFormatException e) {
      // An exponent that a BigDecimal cannot hold.
      throw new Problem(400, "bad-json", what + " exceeds a limit: " + BoundedNumbers.WORDS);
    } catch (JacksonException e) {
      String place =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new Problem(400, "bad-json", what + " is no valid JSON" + place);
    }
  }

  /**
   * Refuses numbers with which a computation would not end: {@code 1e300000} is short to write and
   * has that many digits once something is added to it.
   */
  private static final class BoundedNumbers extends JsonNodeFactory {
    private static final long serialVersionUID = 1;

    /** As many digits as a number may have when they are written out. */
    private static final int MOST = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

    private static final String WORDS =
        "a number must have an exponent from -%1$d to %1$d".formatted(MOST);

    @Override
    public ValueNode numberNode(@Nullable BigDecimal number) {
      if (number != null && (Math.abs((long) number.scale()) > MOST || exponent(number) > MOST)) {
        throw new StreamConstraintsException(WORDS);
      }
      return super.numberNode(number);
    }

    private static long exponent(BigDecimal number) {
      return Math.abs((long) number.precision() - number.scale());
    }
  }

  public static byte[] bytes(JsonNode node) {
    return MAPPER.writeValueAsBytes(node);
  }

  /** One in each line. */
  public static byte[] lines(List<ObjectNode> nodes) {
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
  public static JsonNode scalar(String text) {
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
