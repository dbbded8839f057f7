package io.asynq4j.service;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** A JSON object of a request, read field by field. Not thread-safe. */
final class Fields {

  private final JsonNode object;
  // Few, and asked for in each task of a batch.
  private final List<String> known = new ArrayList<>(8);

  Fields(JsonNode object, String what) {
    if (!object.isObject()) {
      throw Problem.invalid("", what + " must be a JSON object");
    }
    this.object = object;
  }

  Optional<JsonNode> any(String field) {
    known.add(field);
    JsonNode node = object.get(field);
    return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
  }

  Optional<String> text(String field) {
    return any(field)
        .map(
            node -> {
              if (!node.isString()) {
                throw Problem.invalid(field, field + " must be a text");
              }
              return node.stringValue();
            });
  }

  String required(String field) {
    return text(field).orElseThrow(() -> Problem.invalid(field, field + " is missing"));
  }

  /** A text, or a whole number with all its digits. */
  Optional<String> id(String field) {
    return any(field)
        .map(
            node -> {
              if (node.isIntegralNumber()) {
                return node.asString();
              }
              if (!node.isString() || node.stringValue().isBlank()) {
                throw Problem.invalid(field, field + " must be a text or a whole number");
              }
              if (node.stringValue().length() > 200) {
                throw Problem.invalid(field, field + " must have 200 characters or less");
              }
              return node.stringValue();
            });
  }

  Optional<Duration> duration(String field) {
    return text(field)
        .map(
            text ->
                Units.duration(text)
                    .orElseThrow(
                        () ->
                            Problem.invalid(
                                field, field + " must be a duration, " + Units.DURATION_HINT)));
  }

  Optional<Instant> time(String field) {
    return text(field)
        .map(
            text -> {
              try {
                return Instant.parse(text);
              } catch (DateTimeException e) {
                throw Problem.invalid(
                    field, field + " must be a time such as 2030-12-31T23:59:59Z");
              }
            });
  }

  int integer(String field, int least, int most, int otherwise) {
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

  boolean flag(String field, boolean otherwise) {
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
  void end() {
    for (String field : object.propertyNames()) {
      if (!known.contains(field)) {
        throw Problem.invalid(
            field, "%s is unknown; known here are %s".formatted(field, new TreeSet<>(known)));
      }
    }
  }
}
