package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes the due time of many tasks of a state. Scheduled tasks and those in retry stay in their
 * container, at another position, where the scan may return them again; so this action remembers
 * them. Not thread-safe.
 */
public final class RescheduleAction implements BulkOperation.BulkAction {

  private final TaskOperations operations;
  private final QueueName queue;
  private final boolean takesOut;
  private final Instant at;
  private final HashedIdSet rescheduled = new HashedIdSet();

  public RescheduleAction(TaskOperations operations, QueueName queue, TaskState state, Instant at) {
    this.operations = operations;
    this.queue = queue;
    this.takesOut = state != TaskState.SCHEDULED && state != TaskState.RETRY;
    this.at = at;
  }

  @Override
  public List<@Nullable String> apply(List<TaskInfo> tasks) {
    List<String> ids = tasks.stream().map(TaskInfo::id).toList();
    if (!takesOut) {
      ids.forEach(rescheduled::add);
    }
    List<@Nullable String> problems = new ArrayList<>(ids.size());
    for (ActionAnswer answer : operations.inspection().reschedule(queue, ids, at)) {
      problems.add(TaskOperations.problem(TaskAction.RESCHEDULE, answer));
    }
    return problems;
  }

  @Override
  public boolean takesOut() {
    return takesOut;
  }

  @Override
  public boolean isRepeated(TaskInfo task) {
    return rescheduled.contains(task.id());
  }
}
