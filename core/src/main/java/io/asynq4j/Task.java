package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import io.asynq4j.internal.text.ValueText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kind of work and its input, as bytes. Immutable and safe to share between threads. */
public final class Task {

  private final String type;
  private final Payload payload;
  private final Map<String, String> headers;

  private Task(String type, Payload payload, Map<String, String> headers) {
    this.type = type;
    this.payload = payload;
    this.headers = Map.copyOf(headers);
    TextValidator.requireNotBlank(type, "task type");
    TextValidator.requireValidUnicode(type, "task type");
    headers.forEach(
        (name, value) -> {
          TextValidator.requireValidUnicode(name, "header name");
          TextValidator.requireValidUnicode(value, "value of header " + name);
        });
  }

  /** The name of the task type, such as {@code email:welcome}. */
  public String type() {
    return type;
  }

  /** The input, as bytes. */
  public Payload payload() {
    return payload;
  }

  /** Metadata that travels with the task. */
  public Map<String, String> headers() {
    return headers;
  }

  /** A task without payload. */
  public static Task of(String type) {
    return new Task(type, Payload.absent(), Map.of());
  }

  public static Task of(String type, Payload payload) {
    return new Task(type, payload, Map.of());
  }

  public static Task of(String type, Payload payload, Map<String, String> headers) {
    return new Task(type, payload, headers);
  }

  /** This task with these headers in place of those it has. */
  public Task withHeaders(Map<String, String> headers) {
    return new Task(type, payload, headers);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Task that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of("Task", "type payload headers", values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(type, payload, headers);
  }
}
