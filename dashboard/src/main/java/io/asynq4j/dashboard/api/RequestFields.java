package io.asynq4j.dashboard.api;

import io.asynq4j.Payload;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The JSON object that came with a request; what it holds is asked for by name and kind. */
final class RequestFields {

  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("9999-12-31T23:59:59Z").plusSeconds(1);

  private final JsonNode node;

  RequestFields(JsonNode node) {
    if (!node.isObject()) {
      throw Problem.badRequest("The body must be a JSON object.");
    }
    this.node = node;
  }

  /** Refuses names that mean nothing here: a mistyped option would be left out silently. */
  RequestFields knowing(String... names) {
    Set<String> unknown = new TreeSet<>(node.propertyNames());
    Set<String> known = new TreeSet<>(List.of(names));
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw Problem.badRequest("Unknown: " + unknown + ". Known here: " + known + ".");
    }
    return this;
  }

  boolean has(String name) {
    JsonNode value = node.get(name);
    return value != null && !value.isNull();
  }

  private @Nullable JsonNode value(String name) {
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  @Nullable String text(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isString()) {
      throw Problem.badRequest("\"" + name + "\" must be a text.");
    }
    return value.stringValue();
  }

  String requiredText(String name) {
    String value = text(name);
    if (value == null) {
      throw Problem.unprocessable("\"" + name + "\" is missing.");
    }
    return value;
  }

  @Nullable Long number(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw Problem.badRequest("\"" + name + "\" must be a whole number.");
    }
    return value.longValue();
  }

  @Nullable Integer integer(String name) {
    Long value = number(name);
    if (value != null && value != value.intValue()) {
      throw Problem.unprocessable("\"" + name + "\" is too large: " + value);
    }
    return value == null ? null : value.intValue();
  }

  @Nullable Boolean bool(String name) {
    JsonNode value = value(name);
    if (value != null && !value.isBoolean()) {
      throw Problem.badRequest("\"" + name + "\" must be true or false.");
    }
    return value == null ? null : value.booleanValue();
  }

  boolean isTrue(String name) {
    return Boolean.TRUE.equals(bool(name));
  }

  @Nullable Instant time(String name) {
    String text = text(name);
    try {
      return text == null ? null : requireReadable(Instant.parse(text));
    } catch (DateTimeException e) {
      throw Problem.unprocessable(
          "\"" + name + "\" must be a time such as 2030-01-31T12:00:00Z: \"" + text + "\"");
    }
  }

  /** Of the years that four digits can say, which are also all that others can read. */
  private static Instant requireReadable(Instant time) {
    if (time.isBefore(FIRST) || !time.isBefore(END)) {
      throw new DateTimeException("beyond the years 1 to 9999");
    }
    return time;
  }

  @Nullable Duration duration(String name) {
    String text = text(name);
    return text == null ? null : Durations.parse(text);
  }

  /** A time that is given as {@code at}, or as {@code in} from now. */
  Instant timeFrom(Instant now) {
    Instant at = time("at");
    Duration in = duration("in");
    if ((at == null) == (in == null)) {
      throw Problem.unprocessable("Give either \"at\", a time, or \"in\", a duration from now.");
    }
    if (at != null) {
      return at;
    }
    try {
      return requireReadable(now.plus(in));
    } catch (DateTimeException | ArithmeticException e) {
      throw Problem.unprocessable("\"in\" is too long: \"" + text("in") + "\"");
    }
  }

  List<String> texts(String name) {
    JsonNode value = value(name);
    if (value == null) {
      return List.of();
    }
    if (!value.isArray()) {
      throw Problem.badRequest("\"" + name + "\" must be a list of texts.");
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode each : value) {
      if (!each.isString()) {
        throw Problem.badRequest("\"" + name + "\" must be a list of texts.");
      }
      texts.add(each.stringValue());
    }
    return texts;
  }

  Map<String, String> map(String name) {
    JsonNode value = value(name);
    Map<String, String> map = new LinkedHashMap<>();
    if (value == null) {
      return map;
    }
    if (!value.isObject()) {
      throw Problem.badRequest("\"" + name + "\" must be an object of texts.");
    }
    for (Map.Entry<String, JsonNode> entry : value.properties()) {
      if (!entry.getValue().isString()) {
        throw Problem.badRequest("\"" + name + "\" must be an object of texts.");
      }
      map.put(entry.getKey(), entry.getValue().stringValue());
    }
    return map;
  }

  boolean hasPayload() {
    return node.has("payload") || has("payloadText") || has("payloadBase64");
  }

  /** As JSON, as text or as base64; absent when none is there. */
  Payload payload() {
    int given =
        (node.has("payload") ? 1 : 0)
            + (has("payloadText") ? 1 : 0)
            + (has("payloadBase64") ? 1 : 0);
    if (given > 1) {
      throw Problem.unprocessable(
          "Give one of \"payload\", \"payloadText\" and \"payloadBase64\", not several.");
    }
    if (node.has("payload")) {
      return Payload.of(Json.bytes(node.get("payload")));
    }
    String text = text("payloadText");
    if (text != null) {
      return Payload.ofUtf8(text);
    }
    String base64 = text("payloadBase64");
    if (base64 == null) {
      return Payload.absent();
    }
    try {
      return Payload.of(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw Problem.unprocessable("\"payloadBase64\" is not base64.");
    }
  }
}
