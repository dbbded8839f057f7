package io.asynq4j.dashboard.internal.api;

import io.asynq4j.Payload;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads the payload of a task from a request: as JSON, text or base64. */
final class PayloadFields {

  static final String JSON = "payload";
  static final String TEXT = "payloadText";
  static final String BASE64 = "payloadBase64";

  private PayloadFields() {}

  static boolean isIn(RequestFields fields) {
    return count(fields) > 0;
  }

  /** Counts the payload fields that are present; a JSON payload can be null. */
  private static long count(RequestFields fields) {
    return (fields.contains(JSON) ? 1 : 0)
        + List.of(TEXT, BASE64).stream().filter(name -> fields.any(name).isPresent()).count();
  }

  /** Returns an absent payload if no field is present. */
  static Payload read(RequestFields fields) {
    if (count(fields) > 1) {
      throw Problems.unprocessable(
          "Use only one of \"payload\", \"payloadText\" and \"payloadBase64\".");
    }
    if (fields.contains(JSON)) {
      JsonNode json = fields.any(JSON).orElseGet(JsonNodeFactory.instance::nullNode);
      return Payload.of(Json.bytes(json));
    }
    Optional<String> text = fields.text(TEXT);
    if (text.isPresent()) {
      return Payload.ofUtf8(text.get());
    }
    return fields.text(BASE64).map(PayloadFields::decoded).orElseGet(Payload::absent);
  }

  private static Payload decoded(String base64) {
    try {
      return Payload.of(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw Problems.unprocessable("\"payloadBase64\" is not valid base64.");
    }
  }
}
