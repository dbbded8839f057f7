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

  /** Numbers keep their digits: ids may be larger than a double can hold, and 1.50 is not 1.5. */
  public static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
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

  /**
   * Parses a body, or a part of one. Throws {@link Problem} with the place, never the contents.
   *
   * @param what is parsed, for the problem
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
      // An exponent that a BigDecimal cannot hold.
      throw problems.notJson(what + " exceeds a limit: " + BoundedNumbers.WORDS);
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

  /** Writes a tree, or maps and lists. */
  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /** The same as text. */
  public static String text(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** Whether it is JSON, without keeping it. */
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
}
