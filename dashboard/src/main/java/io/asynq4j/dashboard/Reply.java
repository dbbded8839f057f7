package io.asynq4j.dashboard;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a request is answered.
 *
 * @param body an object for JSON, or bytes; null for none
 * @param type of bytes; null for JSON
 */
record Reply(
    int status, @Nullable Object body, @Nullable String type, Map<String, String> headers) {

  /** The answer is written by somebody else. */
  static final Reply TAKEN_OVER = new Reply(0, null, null, Map.of());

  static final Reply NO_CONTENT = new Reply(204, null, null, Map.of());

  static Reply ok(JsonFields body) {
    return new Reply(200, body.map(), null, Map.of());
  }

  static Reply accepted() {
    return new Reply(202, null, null, Map.of());
  }

  static Reply of(int status, JsonFields body, String location) {
    return new Reply(status, body.map(), null, Map.of("Location", location));
  }

  static Reply bytes(byte[] body, String type, Map<String, String> headers) {
    return new Reply(200, body, type, headers);
  }
}
