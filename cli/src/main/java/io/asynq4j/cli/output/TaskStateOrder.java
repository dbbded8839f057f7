package io.asynq4j.cli.output;

import io.asynq4j.TaskState;
import java.util.List;

/** Display order of states. */
public final class TaskStateOrder {

  /** Running and waiting states first, final states last. */
  public static final List<TaskState> IN_ORDER =
      List.of(
          TaskState.ACTIVE,
          TaskState.PENDING,
          TaskState.AGGREGATING,
          TaskState.SCHEDULED,
          TaskState.RETRY,
          TaskState.ARCHIVED,
          TaskState.COMPLETED);

  private TaskStateOrder() {}
}
