package io.asynq4j.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SequenceWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.ValueNode;

/** Reads and writes JSON. */
public final class Json {

  /**
   * Numbers keep their digits: ids may exceed the precision of a double, and 1.50 differs from 1.5.
   */
  public static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** The same with limits, for data of clients. */
  private static final JsonMapper BOUNDED =
      MAPPER.rebuild().nodeFactory(new BoundedNumbers()).build();

  private static final ObjectWriter LINES = MAPPER.writer().withRootValueSeparator("\n");

  private Json() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Parses stored data; empty if it is not JSON. */
  public static Optional<JsonNode> read(byte[] bytes) {
    try {
      return Optional.of(MAPPER.readTree(bytes)).filter(node -> !node.isMissingNode());
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Parses a body, or a part of one. Throws {@link Problem} with the position, never the contents.
   *
   * @param what name of the text in the problem
   */
  public static JsonNode parse(byte[] bytes, String what, ProblemFactory problems) {
    try {
      JsonNode node = BOUNDED.readTree(bytes);
      if (node == null || node.isMissingNode()) {
        throw problems.notJson(what + " is empty; JSON is expected");
      }
      return node;
    } catch (StreamConstraintsException e) {
      throw problems.notJson(what + " exceeds a limit: " + e.getOriginalMessage());
    } catch (NumberFormatException e) {
      // An exponent too large for a BigDecimal.
      throw problems.notJson(what + " exceeds a limit: " + BoundedNumbers.MESSAGE);
    } catch (JacksonException e) {
      String place =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw problems.notJson(what + " is not valid JSON" + place);
    }
  }

  /**
   * Refuses numbers that would make a computation endless: {@code 1e300000} is short, but has that
   * many digits once another number is added.
   */
  private static final class BoundedNumbers extends JsonNodeFactory {
    private static final long serialVersionUID = 1;

    /** Maximum number of digits of a number. */
    private static final int MAX = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

    private static final String MESSAGE =
        "the exponent of a number must be from -%1$d to %1$d".formatted(MAX);

    @Override
    public ValueNode numberNode(@Nullable BigDecimal number) {
      if (number != null && (Math.abs((long) number.scale()) > MAX || exponent(number) > MAX)) {
        throw new StreamConstraintsException(MESSAGE);
      }
      return super.numberNode(number);
    }

    private static long exponent(BigDecimal number) {
      return Math.abs((long) number.precision() - number.scale());
    }
  }

  /** Serializes a tree, or maps and lists. */
  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /** The same as text. */
  public static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** Whether the bytes are valid JSON, without building a tree. */
  public static boolean isJson(byte[] bytes) {
    try (JsonParser parser = MAPPER.createParser(new ByteArrayInputStream(bytes))) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }

  /** Serializes values, one per line. */
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
}
