package io.asynq4j.service.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What a request is answered with. Immutable. */
public final class ApiResponse {

  public static final String JSON = "application/json";
  static final String JSON_LINES = "application/x-ndjson";

  private static final byte[] NOT_WRITTEN = {};

  private final int status;
  private final String contentType;
  private final byte[] body;
  private final @Nullable ObjectNode json;
  private final Map<String, String> headers;
  private final Runnable undelivered;

  private ApiResponse(
      int status,
      String contentType,
      byte[] body,
      @Nullable ObjectNode json,
      Map<String, String> headers,
      Runnable undelivered) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.json = json;
    this.headers = Map.copyOf(headers);
    this.undelivered = undelivered;
  }

  public static ApiResponse json(int status, ObjectNode body) {
    return new ApiResponse(status, JSON, NOT_WRITTEN, body, Map.of(), () -> {});
  }

  public static ApiResponse lines(byte[] body) {
    return new ApiResponse(200, JSON_LINES, body, null, Map.of(), () -> {});
  }

  public static ApiResponse text(byte[] body, String contentType) {
    return new ApiResponse(200, contentType, body, null, Map.of(), () -> {});
  }

  public static ApiResponse of(Problem problem) {
    ApiResponse answer = json(problem.status(), problem.json());
    return problem.retryAfter() == null
        ? answer
        : answer.with("Retry-After", Long.toString(Math.max(1, problem.retryAfter().toSeconds())));
  }

  public ApiResponse with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new ApiResponse(status, contentType, body, json, all, undelivered);
  }

  public ApiResponse orElse(Runnable action) {
    return new ApiResponse(status, contentType, body, json, headers, action);
  }

  int status() {
    return status;
  }

  String contentType() {
    return contentType;
  }

  /** What is sent; written anew at each call. */
  byte[] body() {
    return json == null ? body : Json.bytes(json);
  }

  /** As one line of many, with its status. */
  public ObjectNode line() {
    ObjectNode line = Json.object();
    line.put("status", status);
    if (json != null) {
      line.setAll(json);
    }
    return line;
  }

  Map<String, String> headers() {
    return headers;
  }

  /** What is to be done when it could not be sent. */
  Runnable undelivered() {
    return undelivered;
  }
}
