package io.asynq4j.dashboard.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a request is answered.
 *
 * @param body an object for JSON, or bytes; null for none
 * @param type of bytes; null for JSON
 */
public record ApiResponse(
    int status, @Nullable Object body, @Nullable String type, Map<String, String> headers) {

  /** The answer is written by somebody else. */
  public static final ApiResponse TAKEN_OVER = new ApiResponse(0, null, null, Map.of());

  static final ApiResponse NO_CONTENT = new ApiResponse(204, null, null, Map.of());

  static ApiResponse ok(JsonFields body) {
    return new ApiResponse(200, body.map(), null, Map.of());
  }

  static ApiResponse accepted() {
    return new ApiResponse(202, null, null, Map.of());
  }

  static ApiResponse of(int status, JsonFields body, String location) {
    return new ApiResponse(status, body.map(), null, Map.of("Location", location));
  }

  public static ApiResponse bytes(byte[] body, String type, Map<String, String> headers) {
    return new ApiResponse(200, body, type, headers);
  }
}
