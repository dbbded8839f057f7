package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.BulkReport.Failure;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.ArchivedAll;
import io.asynq4j.internal.inspect.BulkOperation.BulkAction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Actions on many tasks of a queue: by ID, or on all tasks of a state. Thread-safe. */
public final class BulkTaskOperations {

  private final TaskOperations operations;
  private final Inspection inspection;
  private final QueueName queue;

  public BulkTaskOperations(TaskOperations operations) {
    this.operations = operations;
    this.inspection = operations.inspection();
    this.queue = operations.queue();
  }

  /** Applies an action to the tasks with these IDs. */
  public BulkReport byId(BulkAction action, Collection<String> all) {
    List<String> ids = List.copyOf(all);
    List<@Nullable String> problems = action.apply(ids);
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      String problem = problems.get(i);
      if (problem != null) {
        failures.add(new Failure(ids.get(i), problem));
      }
    }
    int failed = failures.size();
    return BulkReport.builder()
        .looked(ids.size())
        .matched(ids.size())
        .done(ids.size() - failed)
        .failed(failed)
        .failures(failures.subList(0, Math.min(failed, BulkOperation.MAX_FAILURES)))
        .dropped(action.dropped())
        .build();
  }

  // ---- all of a state

  public long runAll(TaskState state, LongConsumer progress) {
    TaskAction.RUN.require(state);
    return all(state, progress, (group, steps) -> inspection.runAll(queue, state, group, steps));
  }

  public long archiveAll(TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    long tasks = inspection.stats(queue).size(state);
    long room = operations.archiveRoom();
    if (!operations.dropsOldest() && tasks > room) {
      throw new IllegalStateException(
          "%,d %s tasks of queue \"%s\" do not fit into its archive, which has room for %,d: delete or run archived tasks, or allow the oldest to be deleted"
              .formatted(tasks, state.word(), queue, room));
    }
    BulkReport report = archiveEach(state, progress);
    if (report.problem() != null) {
      throw new IllegalStateException(
          "%s; %,d were archived".formatted(report.problem(), report.done()));
    }
    return report.done();
  }

  public BulkReport archiveEach(TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    LongAdder dropped = new LongAdder();
    AtomicBoolean full = new AtomicBoolean();
    long done =
        all(
            state,
            progress,
            (group, steps) -> {
              if (full.get()) {
                return 0;
              }
              ArchivedAll archived = operations.archiveAll(state, group, steps);
              dropped.add(archived.dropped());
              full.set(archived.full());
              return archived.done();
            });
    return BulkReport.builder()
        .looked(done)
        .matched(done)
        .done(done)
        .problem(full.get() ? operations.archiveFull() : null)
        .dropped(dropped.sum())
        .build();
  }

  public long deleteAll(TaskState state, LongConsumer progress) {
    TaskAction.DELETE.require(state);
    return all(state, progress, (group, steps) -> inspection.deleteAll(queue, state, group, steps));
  }

  private interface ContainerOperation {
    int apply(@Nullable String group, IntConsumer steps);
  }

  private long all(TaskState state, LongConsumer progress, ContainerOperation operation) {
    if (state != TaskState.AGGREGATING) {
      return operation.apply(null, progress::accept);
    }
    inspection.requireQueue(queue);
    long count = 0;
    for (Map.Entry<String, Long> group : inspection.groupSizes(queue).entrySet()) {
      if (group.getValue() >= 0) {
        long before = count;
        count += operation.apply(group.getKey(), so -> progress.accept(before + so));
      }
    }
    return count;
  }
}
