package io.asynq4j.service.api;

import io.asynq4j.service.config.Units;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** A JSON object of a request, read field by field. Not thread-safe. */
public final class RequestFields {

  private static final int LONGEST_ID = 200;
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("9999-12-31T23:59:59Z").plusSeconds(1);

  private final JsonNode object;
  // Few, and asked for in each task of a batch.
  private final List<String> known = new ArrayList<>(8);

  public RequestFields(JsonNode object, String what) {
    if (!object.isObject()) {
      throw Problem.invalid("", what + " must be a JSON object");
    }
    this.object = object;
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
                throw Problem.invalid(field, field + " must be a text");
              }
              return unicode(field, node.stringValue());
            });
  }

  /** Half of a surrogate pair can be neither stored nor sent as text. */
  private static String unicode(String field, String text) {
    if (text.codePoints().anyMatch(each -> Character.getType(each) == Character.SURROGATE)) {
      throw Problem.invalid(field, field + " has half of a surrogate pair");
    }
    return text;
  }

  /** A list of texts. */
  public List<String> texts(String field, int most) {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : list(field, most)) {
      if (!item.isString()) {
        throw Problem.invalid(field, field + " must be a list of texts");
      }
      texts.add(unicode(field, item.stringValue()));
    }
    return texts;
  }

  public JsonNode list(String field, int most) {
    JsonNode list = any(field).orElseThrow(() -> Problem.invalid(field, field + " is missing"));
    if (!list.isArray() || list.isEmpty() || list.size() > most) {
      throw Problem.invalid(field, "%s must be a list of 1 to %d".formatted(field, most));
    }
    return list;
  }

  public String required(String field) {
    return text(field).orElseThrow(() -> Problem.invalid(field, field + " is missing"));
  }

  /** A text, or a whole number with all its digits. */
  Optional<String> id(String field) {
    return any(field)
        .map(
            node -> {
              String id = node.isString() || node.isIntegralNumber() ? node.asString() : "";
              if (id.isBlank()) {
                throw Problem.invalid(field, field + " must be a text or a whole number");
              }
              if (id.length() > LONGEST_ID) {
                throw Problem.invalid(
                    field, "%s must have %d characters or less".formatted(field, LONGEST_ID));
              }
              return unicode(field, id);
            });
  }

  public Optional<Duration> duration(String field) {
    return text(field)
        .map(
            text ->
                Units.duration(text)
                    .orElseThrow(
                        () ->
                            Problem.invalid(
                                field, field + " must be a duration, " + Units.DURATION_HINT)));
  }

  /** Of the years that four digits can say, which are also all that others can read. */
  Optional<Instant> time(String field) {
    return text(field)
        .map(
            text -> {
              Optional<Instant> time = instant(text);
              return time.filter(each -> !each.isBefore(FIRST) && each.isBefore(END))
                  .orElseThrow(
                      () ->
                          Problem.invalid(
                              field, field + " must be a time such as 2030-12-31T23:59:59Z"));
            });
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  public int integer(String field, int least, int most, int otherwise) {
    return any(field)
        .map(
            node -> {
              if (!node.isIntegralNumber()
                  || !node.canConvertToInt()
                  || node.intValue() < least
                  || node.intValue() > most) {
                throw Problem.invalid(
                    field, "%s must be a whole number from %d to %d".formatted(field, least, most));
              }
              return node.intValue();
            })
        .orElse(otherwise);
  }

  public boolean flag(String field, boolean otherwise) {
    return any(field)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw Problem.invalid(field, field + " must be true or false");
              }
              return node.booleanValue();
            })
        .orElse(otherwise);
  }

  /** A misspelt field must not be lost in silence. */
  public void end() {
    for (String field : object.propertyNames()) {
      if (!known.contains(field)) {
        throw Problem.invalid(
            field, "%s is unknown; known here are %s".formatted(field, new TreeSet<>(known)));
      }
    }
  }
}
