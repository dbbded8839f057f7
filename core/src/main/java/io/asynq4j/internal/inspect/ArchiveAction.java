package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.ActionAnswer.Status;
import io.asynq4j.internal.broker.Inspection.Archived;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Archives many tasks of a queue until its archive is full. Not thread-safe. */
public final class ArchiveAction implements BulkOperation.BulkAction {

  private final TaskOperations operations;
  private final QueueName queue;
  private long dropped;
  private @Nullable String obstacle;

  public ArchiveAction(TaskOperations operations, QueueName queue) {
    this.operations = operations;
    this.queue = queue;
  }

  @Override
  public List<@Nullable String> apply(List<TaskInfo> tasks) {
    Archived archived = operations.archive(queue, tasks.stream().map(TaskInfo::id).toList());
    dropped += archived.dropped();
    List<@Nullable String> problems = new ArrayList<>(tasks.size());
    for (ActionAnswer answer : archived.answers()) {
      problems.add(TaskOperations.problem(TaskAction.ARCHIVE, answer));
      if (answer.verdict() == Status.ARCHIVE_FULL) {
        obstacle = operations.archiveFull(queue);
      }
    }
    return problems;
  }

  @Override
  public boolean takesOut() {
    return true;
  }

  @Override
  public @Nullable String obstacle() {
    return obstacle;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
