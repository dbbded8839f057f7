package io.asynq4j.internal.inspect;

import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Inspection.ActionAnswer.Status;
import io.asynq4j.internal.broker.Inspection.Archived;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Archives many tasks of a queue until its archive is full. Not thread-safe. */
final class ArchiveAction implements BulkOperation.BulkAction {

  private final TaskOperations operations;
  private long dropped;
  private @Nullable String obstacle;

  ArchiveAction(TaskOperations operations) {
    this.operations = operations;
  }

  @Override
  public List<@Nullable String> apply(List<String> ids) {
    Archived archived = operations.archive(ids);
    dropped += archived.dropped();
    if (archived.answers().stream().anyMatch(each -> each.verdict() == Status.ARCHIVE_FULL)) {
      obstacle = operations.archiveFull();
    }
    return TaskOperations.problems(TaskAction.ARCHIVE, archived.answers());
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
