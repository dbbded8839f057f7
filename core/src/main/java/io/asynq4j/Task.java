package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import java.util.Map;

/** A kind of work and its input, as bytes. Immutable and safe to share between threads. */
public record Task(String type, Payload payload, Map<String, String> headers) {

  public Task {
    TextValidator.requireNotBlank(type, "task type");
    TextValidator.requireValidUnicode(type, "task type");
    headers = Map.copyOf(headers);
    headers.forEach(
        (name, value) -> {
          TextValidator.requireValidUnicode(name, "header name");
          TextValidator.requireValidUnicode(value, "value of header " + name);
        });
  }

  public static Task of(String type) {
    return new Task(type, Payload.absent(), Map.of());
  }

  public static Task of(String type, Payload payload) {
    return new Task(type, payload, Map.of());
  }

  public Task withHeaders(Map<String, String> headers) {
    return new Task(type, payload, headers);
  }
}
