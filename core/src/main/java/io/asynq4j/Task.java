package io.asynq4j;

import java.util.Map;

/**
 * A task type and its input as bytes. Immutable and safe to share between threads; two tasks are
 * equal if all their values are.
 *
 * <p>A {@link TaskType} creates tasks with encoded inputs. Create one by hand to send bytes as they
 * are: {@code Task.of("image:resize", Payload.of(bytes))}.
 */
public sealed interface Task permits TaskRecord {

  /** Name of the task type, such as {@code email:welcome}. */
  String type();

  /** Input, as bytes. */
  Payload payload();

  /** Metadata that travels with the task. Immutable. */
  Map<String, String> headers();

  /** Returns a task without payload. */
  static Task of(String type) {
    return of(type, Payload.absent());
  }

  static Task of(String type, Payload payload) {
    return of(type, payload, Map.of());
  }

  static Task of(String type, Payload payload, Map<String, String> headers) {
    return new TaskRecord(type, payload, headers);
  }

  /** Returns this task with these headers instead of its own. */
  default Task withHeaders(Map<String, String> headers) {
    return of(type(), payload(), headers);
  }
}
