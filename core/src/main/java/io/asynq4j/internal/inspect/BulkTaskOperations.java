package io.asynq4j.internal.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.BulkReport.Failure;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.Archived;
import io.asynq4j.internal.broker.Inspection.ArchivedAll;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Actions on many tasks of a queue: by ID, or on all tasks of a state. Thread-safe. */
public final class BulkTaskOperations {

  private final TaskOperations operations;

  public BulkTaskOperations(TaskOperations operations) {
    this.operations = operations;
  }

  private Inspection inspection() {
    return operations.inspection();
  }

  // ---- by id

  public BulkReport run(QueueName queue, Collection<String> ids) {
    return byId(TaskAction.RUN, ids, list -> inspection().run(queue, list));
  }

  public BulkReport archive(QueueName queue, Collection<String> ids) {
    LongAdder dropped = new LongAdder();
    BulkReport report =
        byId(
            TaskAction.ARCHIVE,
            ids,
            list -> {
              Archived archived = operations.archive(queue, list);
              dropped.add(archived.dropped());
              return archived.answers();
            });
    return report.toBuilder().dropped(dropped.sum()).build();
  }

  public BulkReport delete(QueueName queue, Collection<String> ids) {
    return byId(TaskAction.DELETE, ids, list -> inspection().delete(queue, list));
  }

  public BulkReport reschedule(QueueName queue, Collection<String> ids, Instant at) {
    return byId(TaskAction.RESCHEDULE, ids, list -> inspection().reschedule(queue, list, at));
  }

  public BulkReport cancel(QueueName queue, Collection<String> ids, AfterCancel afterwards) {
    return oneByOne(ids, id -> operations.cancel(queue, id, afterwards));
  }

  public BulkReport move(QueueName queue, Collection<String> ids, QueueName to) {
    return oneByOne(ids, id -> operations.transfers().move(queue, id, to));
  }

  private static BulkReport byId(
      TaskAction action,
      Collection<String> ids,
      Function<List<String>, List<ActionAnswer>> operation) {
    List<String> all = List.copyOf(ids);
    List<@Nullable String> problems = new ArrayList<>(all.size());
    operation.apply(all).forEach(answer -> problems.add(TaskOperations.problem(action, answer)));
    return report(all, problems);
  }

  private static BulkReport oneByOne(Collection<String> ids, Consumer<String> operation) {
    List<String> all = List.copyOf(ids);
    List<@Nullable String> problems = new ArrayList<>(all.size());
    all.forEach(id -> problems.add(attempt(() -> operation.accept(id))));
    return report(all, problems);
  }

  /** Returns why an operation on one task failed; null if it succeeded. */
  public static @Nullable String attempt(Runnable operation) {
    try {
      operation.run();
      return null;
    } catch (TaskNotFoundException | TaskStateException e) {
      return e.getMessage();
    }
  }

  private static BulkReport report(List<String> ids, List<@Nullable String> problems) {
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      String problem = problems.get(i);
      if (problem != null) {
        failures.add(new Failure(ids.get(i), problem));
      }
    }
    int size = ids.size();
    int failed = failures.size();
    List<Failure> told = failures.subList(0, Math.min(failed, BulkOperation.MAX_FAILURES));
    return BulkReport.builder()
        .looked(size)
        .matched(size)
        .done(size - failed)
        .failed(failed)
        .failures(told)
        .build();
  }

  // ---- all of a state

  public long runAll(QueueName queue, TaskState state, LongConsumer progress) {
    TaskAction.RUN.require(state);
    return all(
        queue, state, progress, (group, steps) -> inspection().runAll(queue, state, group, steps));
  }

  public long archiveAll(QueueName queue, TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    long tasks = inspection().stats(queue).size(state);
    long room = operations.archiveRoom(queue);
    if (!operations.dropsOldest() && tasks > room) {
      throw new IllegalStateException(
          "%,d %s tasks of queue \"%s\" do not fit into its archive, which has room for %,d: delete or run archived tasks, or allow the oldest to be deleted"
              .formatted(tasks, state.word(), queue, room));
    }
    BulkReport report = archiveEach(queue, state, progress);
    if (report.problem() != null) {
      throw new IllegalStateException(
          "%s; %,d were archived".formatted(report.problem(), report.done()));
    }
    return report.done();
  }

  public BulkReport archiveEach(QueueName queue, TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    LongAdder dropped = new LongAdder();
    AtomicBoolean full = new AtomicBoolean();
    long done =
        all(
            queue,
            state,
            progress,
            (group, steps) -> {
              if (full.get()) {
                return 0;
              }
              ArchivedAll archived = operations.archiveAll(queue, state, group, steps);
              dropped.add(archived.dropped());
              full.set(archived.full());
              return archived.done();
            });
    String problem = full.get() ? operations.archiveFull(queue) : null;
    return BulkReport.builder()
        .looked(done)
        .matched(done)
        .done(done)
        .problem(problem)
        .dropped(dropped.sum())
        .build();
  }

  public long deleteAll(QueueName queue, TaskState state, LongConsumer progress) {
    TaskAction.DELETE.require(state);
    return all(
        queue,
        state,
        progress,
        (group, steps) -> inspection().deleteAll(queue, state, group, steps));
  }

  private interface ContainerOperation {
    int apply(@Nullable String group, IntConsumer steps);
  }

  private long all(
      QueueName queue, TaskState state, LongConsumer progress, ContainerOperation operation) {
    if (state != TaskState.AGGREGATING) {
      return operation.apply(null, progress::accept);
    }
    inspection().requireQueue(queue);
    long count = 0;
    for (Map.Entry<String, Long> group : inspection().groupSizes(queue).entrySet()) {
      if (group.getValue() >= 0) {
        long before = count;
        count += operation.apply(group.getKey(), so -> progress.accept(before + so));
      }
    }
    return count;
  }
}
