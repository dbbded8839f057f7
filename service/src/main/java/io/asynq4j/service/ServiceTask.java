package io.asynq4j.service;

import io.asynq4j.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * A task as the service returns it. Immutable.
 *
 * @param params as JSON
 * @param result as JSON; null if there is none
 * @param error error of the last failed attempt; empty if none failed
 */
public record ServiceTask(
    String id,
    String name,
    TaskState state,
    String params,
    @Nullable String result,
    String error,
    int retried) {

  /** Omits params and result, which do not belong in logs. */
  @Override
  public String toString() {
    return "ServiceTask[%s, %s, %s]".formatted(id, name, state);
  }
}
