package io.asynq4j.service;

import io.asynq4j.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * A task as the service shows it to its clients. Immutable.
 *
 * @param params as JSON
 * @param result as JSON; null while there is none
 * @param error why the last attempt failed; empty when none did
 */
public record ServiceTask(
    String id,
    String name,
    TaskState state,
    String params,
    @Nullable String result,
    String error,
    int retried) {

  /** Without params and result: neither belongs in logs. */
  @Override
  public String toString() {
    return "ServiceTask[%s, %s, %s]".formatted(id, name, state);
  }
}
