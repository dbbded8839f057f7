package io.asynq4j.service;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** What a request is answered with. Immutable. */
final class Answer {

  static final String JSON = "application/json";
  static final String JSON_LINES = "application/x-ndjson";

  private final int status;
  private final String contentType;
  private final byte[] body;
  private final Map<String, String> headers;
  private final Runnable undelivered;

  private Answer(
      int status,
      String contentType,
      byte[] body,
      Map<String, String> headers,
      Runnable undelivered) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.headers = Map.copyOf(headers);
    this.undelivered = undelivered;
  }

  static Answer json(int status, JsonNode body) {
    return new Answer(status, JSON, Json.bytes(body), Map.of(), () -> {});
  }

  static Answer lines(byte[] body) {
    return new Answer(200, JSON_LINES, body, Map.of(), () -> {});
  }

  static Answer of(Problem problem) {
    Answer answer = json(problem.status(), problem.json());
    return problem.retryAfter() == null
        ? answer
        : answer.with("Retry-After", Long.toString(Math.max(1, problem.retryAfter().toSeconds())));
  }

  Answer with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new Answer(status, contentType, body, all, undelivered);
  }

  Answer orElse(Runnable action) {
    return new Answer(status, contentType, body, headers, action);
  }

  int status() {
    return status;
  }

  String contentType() {
    return contentType;
  }

  /** Not a copy: nobody changes it. */
  byte[] body() {
    return body;
  }

  Map<String, String> headers() {
    return headers;
  }

  /** What is to be done when it could not be sent. */
  Runnable undelivered() {
    return undelivered;
  }
}
