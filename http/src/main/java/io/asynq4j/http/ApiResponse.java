package io.asynq4j.http;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The response to a request. Immutable if the body that was passed in is not changed. */
public final class ApiResponse {

  public static final String JSON = "application/json";
  public static final String JSON_LINES = "application/x-ndjson";

  private static final byte[] NO_BYTES = {};

  /** The endpoint writes the response itself. */
  public static final ApiResponse TAKEN_OVER = empty(0);

  public static final ApiResponse NO_CONTENT = empty(204);

  private final int status;
  private final @Nullable String contentType;
  private final byte[] body;
  private final @Nullable Object json;
  private final Map<String, String> headers;
  private final Runnable undelivered;

  private ApiResponse(
      int status,
      @Nullable String contentType,
      byte[] body,
      @Nullable Object json,
      Map<String, String> headers,
      Runnable undelivered) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.json = json;
    this.headers = Map.copyOf(headers);
    this.undelivered = undelivered;
  }

  /** A response without a body. */
  public static ApiResponse empty(int status) {
    return new ApiResponse(status, null, NO_BYTES, null, Map.of(), () -> {});
  }

  public static ApiResponse ok(JsonFields body) {
    return json(200, body);
  }

  public static ApiResponse json(int status, JsonFields body) {
    return json(status, (Object) body.map());
  }

  public static ApiResponse json(int status, ObjectNode body) {
    return json(status, (Object) body);
  }

  private static ApiResponse json(int status, Object body) {
    return new ApiResponse(status, JSON, NO_BYTES, body, Map.of(), () -> {});
  }

  public static ApiResponse bytes(byte[] body, String contentType) {
    return bytes(200, body, contentType);
  }

  public static ApiResponse bytes(int status, byte[] body, String contentType) {
    return new ApiResponse(status, contentType, body, null, Map.of(), () -> {});
  }

  /** Sets a header. */
  public ApiResponse with(String header, String value) {
    return with(Map.of(header, value));
  }

  /** Sets headers. */
  public ApiResponse with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(more);
    return new ApiResponse(status, contentType, body, json, all, undelivered);
  }

  public ApiResponse withContentType(String type) {
    return new ApiResponse(status, type, body, json, headers, undelivered);
  }

  /** Sets an action for the case that the response cannot be sent. */
  public ApiResponse orElse(Runnable action) {
    return new ApiResponse(status, contentType, body, json, headers, action);
  }

  public int status() {
    return status;
  }

  /** Null without a body. */
  public @Nullable String contentType() {
    return contentType;
  }

  /** Returns the bytes to send; serialized at each call. */
  public byte[] body() {
    return json == null ? body : Json.bytes(json);
  }

  /** Returns the response to one of many requests, with its status, as one line. */
  public ObjectNode line() {
    ObjectNode line = Json.object();
    line.put("status", status);
    if (json instanceof ObjectNode fields) {
      line.setAll(fields);
    }
    return line;
  }

  public Map<String, String> headers() {
    return headers;
  }

  /** The action for the case that the response cannot be sent. */
  public Runnable undelivered() {
    return undelivered;
  }
}
