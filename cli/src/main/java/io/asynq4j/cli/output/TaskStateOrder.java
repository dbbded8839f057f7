package io.asynq4j.cli.output;

import io.asynq4j.TaskState;
import java.util.List;

/** The order in which states are shown. */
public final class TaskStateOrder {

  /** What happens now first, what is over last. */
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
