package io.asynq4j.http;

import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.internal.text.TextExcerpt;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * A JSON object of a request, read field by field. A null field counts as missing. Not thread-safe.
 */
public final class RequestFields {

  private static final int LONGEST_ID = 200;
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("9999-12-31T23:59:59Z").plusSeconds(1);

  private final JsonNode object;
  private final ProblemFactory problems;
  // A list: the names are few, and read for each task of a batch.
  private final List<String> known = new ArrayList<>(8);

  /**
   * @param what name of the object in problems
   */
  public RequestFields(JsonNode object, String what, ProblemFactory problems) {
    if (!object.isObject()) {
      throw problems.malformed("", what + " must be a JSON object");
    }
    this.object = object;
    this.problems = problems;
  }

  /** Refuses unknown fields immediately, before any field is read. */
  public RequestFields knowing(String... names) {
    known.addAll(List.of(names));
    end();
    return this;
  }

  /** Refuses fields that were not read: a misspelt field must not be ignored silently. */
  public void end() {
    for (String field : object.propertyNames()) {
      if (!known.contains(field)) {
        throw problems.malformed(
            field, "unknown field \"%s\"; known fields: %s".formatted(field, new TreeSet<>(known)));
      }
    }
  }

  /** Whether the field is present, even if null. */
  public boolean contains(String field) {
    return object.has(field);
  }

  public Optional<JsonNode> any(String field) {
    known.add(field);
    JsonNode node = object.get(field);
    return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
  }

  public Optional<String> text(String field) {
    return any(field)
        .map(
            node -> {
              if (!node.isString()) {
                throw malformed(field, "must be a string");
              }
              return unicode(field, node.stringValue());
            });
  }

  public String required(String field) {
    return text(field).orElseThrow(() -> missing(field));
  }

  /** Refuses half of a surrogate pair, which can be neither stored nor sent as text. */
  private String unicode(String field, String text) {
    if (text.codePoints().anyMatch(each -> Character.getType(each) == Character.SURROGATE)) {
      throw invalid(field, "contains half of a surrogate pair");
    }
    return text;
  }

  /** A required list of strings, with at least one and at most this many. */
  public List<String> texts(String field, int max) {
    return texts(field, list(field, max));
  }

  /** A list of strings; empty if it is missing. */
  public List<String> texts(String field) {
    return any(field).map(list -> texts(field, list)).orElse(List.of());
  }

  private List<String> texts(String field, JsonNode list) {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : list.isArray() ? list.values() : List.<JsonNode>of()) {
      if (item.isString()) {
        texts.add(unicode(field, item.stringValue()));
      }
    }
    if (!list.isArray() || texts.size() < list.size()) {
      throw malformed(field, "must be a list of strings");
    }
    return texts;
  }

  /** A required list of at least one element and at most this many. */
  public JsonNode list(String field, int max) {
    JsonNode list = any(field).orElseThrow(() -> missing(field));
    if (!list.isArray() || list.isEmpty() || list.size() > max) {
      throw invalid(field, "must be a list of 1 to " + max);
    }
    return list;
  }

  /** An object with string values, in order; empty if it is missing. */
  public Map<String, String> map(String field) {
    Map<String, String> map = new LinkedHashMap<>();
    any(field)
        .ifPresent(
            object -> {
              object.properties().stream()
                  .filter(entry -> entry.getValue().isString())
                  .forEach(
                      entry ->
                          map.put(entry.getKey(), unicode(field, entry.getValue().stringValue())));
              if (!object.isObject() || map.size() < object.size()) {
                throw malformed(field, "must be an object with string values");
              }
            });
    return map;
  }

  /** A string, or a whole number with all its digits. */
  public Optional<String> id(String field) {
    return any(field)
        .map(
            node -> {
              String id = node.isString() || node.isIntegralNumber() ? node.asString() : "";
              if (id.isBlank()) {
                throw invalid(field, "must be a string or a whole number");
              }
              if (id.length() > LONGEST_ID) {
                throw invalid(field, "must have at most %d characters".formatted(LONGEST_ID));
              }
              return unicode(field, id);
            });
  }

  public Optional<Duration> duration(String field) {
    return text(field)
        .map(
            text ->
                DurationFormat.tryParse(text)
                    .filter(duration -> !duration.isNegative())
                    .orElseThrow(
                        () ->
                            invalid(
                                field,
                                "must be a duration, %s; got \"%s\""
                                    .formatted(
                                        DurationFormat.EXPECTED, TextExcerpt.of(text, 100)))));
  }

  /** A time in a year of four digits, which all parsers can read. */
  public Optional<Instant> time(String field) {
    return text(field)
        .map(
            text ->
                instant(text)
                    .filter(RequestFields::isReadable)
                    .orElseThrow(
                        () -> invalid(field, "must be a time such as 2030-12-31T23:59:59Z")));
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static boolean isReadable(Instant time) {
    return !time.isBefore(FIRST) && time.isBefore(END);
  }

  /** A time given as {@code at}, or as {@code in}, a duration from now. */
  public Instant timeFrom(Instant now) {
    Optional<Instant> at = time("at");
    Optional<Duration> in = duration("in");
    if (at.isPresent() == in.isPresent()) {
      throw problems.invalid(
          "at", "either \"at\", a time, or \"in\", a duration from now, is required");
    }
    Instant time = at.orElseGet(() -> now.plus(in.orElseThrow()));
    if (!isReadable(time)) {
      throw invalid("in", "is too long: the time would be after the year 9999");
    }
    return time;
  }

  public Optional<Long> number(String field) {
    return any(field)
        .map(
            node -> {
              if (!node.isIntegralNumber() || !node.canConvertToLong()) {
                throw malformed(field, "must be a whole number");
              }
              return node.longValue();
            });
  }

  public Optional<Integer> integer(String field) {
    return number(field)
        .map(
            number -> {
              if (number != number.intValue()) {
                throw invalid(field, "is too large: " + number);
              }
              return number.intValue();
            });
  }

  public int integer(String field, int min, int max, int otherwise) {
    return any(field)
        .map(
            node -> {
              if (!node.isIntegralNumber()
                  || !node.canConvertToInt()
                  || node.intValue() < min
                  || node.intValue() > max) {
                throw invalid(field, "must be a whole number from %d to %d".formatted(min, max));
              }
              return node.intValue();
            })
        .orElse(otherwise);
  }

  public Optional<Boolean> flag(String field) {
    return any(field)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw malformed(field, "must be true or false");
              }
              return node.booleanValue();
            });
  }

  public boolean flag(String field, boolean otherwise) {
    return flag(field).orElse(otherwise);
  }

  private Problem missing(String field) {
    return invalid(field, "is missing");
  }

  private Problem malformed(String field, String rule) {
    return problems.malformed(field, "\"" + field + "\" " + rule);
  }

  private Problem invalid(String field, String rule) {
    return problems.invalid(field, "\"" + field + "\" " + rule);
  }
}
