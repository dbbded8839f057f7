package io.asynq4j.service;

import io.asynq4j.TaskState;
import org.jspecify.annotations.Nullable;

record ServiceTaskRecord(
    String id,
    String name,
    TaskState state,
    String params,
    @Nullable String result,
    String error,
    int retried)
    implements ServiceTask {

  /** Omits params and result, which do not belong in logs. */
  @Override
  public String toString() {
    return "ServiceTask[%s, %s, %s]".formatted(id, name, state);
  }
}
