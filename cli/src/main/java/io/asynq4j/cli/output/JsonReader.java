package io.asynq4j.cli.output;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads JSON into maps, lists, strings, numbers of full precision, booleans and nulls. */
public final class JsonReader {

  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonReader() {}

  /**
   * Throws an {@code IllegalArgumentException} with the position of the error. It does not quote
   * the input.
   */
  public static @Nullable Object read(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw new IllegalArgumentException("invalid JSON: the input is empty");
      }
      Object value = value(parser);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("invalid JSON: unexpected text after the end");
      }
      return value;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          e.getLocation() == null
              ? "invalid JSON"
              : "invalid JSON: line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    }
  }

  private static @Nullable Object value(JsonParser parser) {
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new BigDecimal(parser.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static List<@Nullable Object> array(JsonParser parser) {
    List<@Nullable Object> array = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }
}
