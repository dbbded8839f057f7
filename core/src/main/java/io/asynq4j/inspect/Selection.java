package io.asynq4j.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.Page;
import io.asynq4j.internal.inspect.ArchiveAction;
import io.asynq4j.internal.inspect.BulkOperation;
import io.asynq4j.internal.inspect.BulkTaskOperations;
import io.asynq4j.internal.inspect.RescheduleAction;
import io.asynq4j.internal.inspect.TaskMover;
import io.asynq4j.internal.inspect.TaskOperations;
import io.asynq4j.internal.inspect.TaskScan;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of one state of a queue that match a filter: to be searched for, counted, or dealt with all
 * together. Immutable and safe to share between threads; every method that sets something returns
 * another selection.
 *
 * <p>All of it is done in small steps, none of which keeps Redis for long. It may be stopped, and
 * go on later where it was, also in another process.
 */
public final class Selection {

  private TaskOperations operations;
  private final QueueName queue;
  private final TaskState state;
  private @Nullable String group;
  private TaskFilter filter = TaskFilter.all();
  private @Nullable String after;
  private long limit = Long.MAX_VALUE;
  private long look = Long.MAX_VALUE;
  private BooleanSupplier stop = () -> false;
  private Consumer<BulkProgress> progress = so -> {};

  Selection(TaskOperations operations, QueueName queue, TaskState state) {
    this.operations = operations;
    this.queue = queue;
    this.state = state;
  }

  private Selection with(Consumer<Selection> change) {
    Selection copy = new Selection(operations, queue, state);
    copy.group = group;
    copy.filter = filter;
    copy.after = after;
    copy.limit = limit;
    copy.look = look;
    copy.stop = stop;
    copy.progress = progress;
    change.accept(copy);
    return copy;
  }

  /** Only what this filter wants too. */
  public Selection where(TaskFilter more) {
    return with(copy -> copy.filter = filter.and(more));
  }

  /** Only tasks of this group; of all groups when not said. Only for aggregating tasks. */
  public Selection inGroup(String newGroup) {
    if (state != TaskState.AGGREGATING) {
      throw new IllegalArgumentException(
          "only aggregating tasks are in groups, not " + state.word() + " ones: " + newGroup);
    }
    return with(copy -> copy.group = newGroup);
  }

  /**
   * Goes on where a page or a report has ended; from the beginning when it is null. A search and an
   * operation go different ways: each goes on only where one of its kind was.
   */
  public Selection after(@Nullable String cursor) {
    return with(copy -> copy.after = cursor);
  }

  /** Deals with no more tasks than this. */
  public Selection limit(long tasks) {
    return with(copy -> copy.limit = positive(tasks));
  }

  /** Looks at no more tasks than this, however few match. */
  public Selection lookAtMost(long tasks) {
    return with(copy -> copy.look = positive(tasks));
  }

  private static long positive(long tasks) {
    if (tasks < 1) {
      throw new IllegalArgumentException("must be one task or more: " + tasks);
    }
    return tasks;
  }

  /**
   * Makes room in an archive that is full by deleting its oldest tasks, as servers do. Otherwise
   * {@link #archive} ends there.
   */
  public Selection droppingOldest() {
    return with(copy -> copy.operations = operations.droppingOldest());
  }

  /** Asked before every 200 tasks. An interrupt of the thread stops it too. */
  public Selection stopWhen(BooleanSupplier question) {
    return with(copy -> copy.stop = question);
  }

  /** Told after every 200 tasks. */
  public Selection onProgress(Consumer<BulkProgress> listener) {
    return with(copy -> copy.progress = listener);
  }

  /**
   * Searches until it has found so many, or may look no further. The order is that of lists:
   * archived and completed tasks newest first, all others in the order in which they run.
   */
  public SearchPage find(int most) {
    positive(most);
    TaskScan walk = walk(/* takesOut= */ false);
    List<TaskInfo> found = new ArrayList<>();
    long looked = 0;
    while (found.size() < most
        && looked < look
        && !stop.getAsBoolean()
        && !Thread.currentThread().isInterrupted()) {
      Page page = walk.load((int) Math.min(BulkOperation.PAGE, look - looked));
      if (page == null) {
        break;
      }
      List<TaskInfo> wanted = wanted(page);
      int room = most - found.size();
      if (wanted.size() > room) {
        page = walk.shorten(page, page.tasks().indexOf(wanted.get(room - 1)) + 1);
        wanted = wanted(page);
      }
      found.addAll(wanted);
      looked += TaskScan.rows(page);
      walk.advance(0);
    }
    return new SearchPage(found, looked, walk.total(), walk.place());
  }

  private List<TaskInfo> wanted(Page page) {
    Instant now = operations.clock().instant();
    return page.tasks().stream().filter(task -> filter.matches(task, now)).toList();
  }

  /** The same without an end but the last task; looks for the next ones as they are asked for. */
  public Stream<TaskInfo> stream() {
    TaskScan walk = walk(/* takesOut= */ false);
    return Stream.generate(() -> next(walk))
        .takeWhile(Optional::isPresent)
        .flatMap(page -> wanted(page.orElseThrow()).stream())
        .limit(limit);
  }

  private static Optional<Page> next(TaskScan walk) {
    Optional<Page> page = Optional.ofNullable(walk.load(BulkOperation.PAGE));
    page.ifPresent(loaded -> walk.advance(0));
    return page;
  }

  /** Counts what matches and does nothing: a dry run of the operations below. */
  public BulkReport count() {
    BulkReport counted = bulk(new Step(/* takesOut= */ false, tasks -> none(tasks.size())));
    return counted.toBuilder().done(0).build();
  }

  private static List<@Nullable String> none(int count) {
    return Collections.nCopies(count, null);
  }

  /** Makes them pending, at the tail of their queue and in their order. */
  public BulkReport run() {
    TaskAction.RUN.require(state);
    return act(TaskAction.RUN, ids -> operations.inspection().run(queue, ids));
  }

  /**
   * Archives them, until the archive is full: the report says so then. It deletes no archived task
   * unless {@link #droppingOldest} is set.
   */
  public BulkReport archive() {
    TaskAction.ARCHIVE.require(state);
    return bulk(new ArchiveAction(operations, queue));
  }

  /** Deletes them. */
  public BulkReport delete() {
    TaskAction.DELETE.require(state);
    return act(TaskAction.DELETE, ids -> operations.inspection().delete(queue, ids));
  }

  /** Moves them to another queue, one by one as {@link Inspector#move} does. */
  public BulkReport moveTo(String newQueue) {
    QueueName to = QueueName.of(newQueue);
    TaskMover.requireMovable(queue, state, to);
    return each(/* takesOut= */ true, task -> operations.transfers().move(queue, task.id(), to));
  }

  /** Has their handlers told to stop. Only for active tasks. */
  public BulkReport cancel(AfterCancel afterwards) {
    TaskAction.CANCEL.require(state);
    return each(/* takesOut= */ false, task -> operations.cancel(queue, task.id(), afterwards));
  }

  /**
   * Has them run at this time, as {@link Inspector#reschedule(String, String, Instant)} does. Every
   * task gets its time once, also where that puts it behind others of the selection.
   */
  public BulkReport reschedule(Instant at) {
    TaskAction.RESCHEDULE.require(state);
    TimeMath.require(at, "the time of a task");
    return bulk(new RescheduleAction(operations, queue, state, at));
  }

  private BulkReport act(TaskAction action, Function<List<String>, List<ActionAnswer>> operation) {
    return bulk(
        new Step(
            /* takesOut= */ true,
            tasks -> {
              List<String> ids = tasks.stream().map(TaskInfo::id).toList();
              List<@Nullable String> problems = new ArrayList<>(ids.size());
              operation
                  .apply(ids)
                  .forEach(answer -> problems.add(TaskOperations.problem(action, answer)));
              return problems;
            }));
  }

  private BulkReport each(boolean takesOut, Consumer<TaskInfo> action) {
    return bulk(
        new Step(
            takesOut,
            tasks -> {
              List<@Nullable String> problems = new ArrayList<>(tasks.size());
              for (TaskInfo task : tasks) {
                problems.add(BulkTaskOperations.attempt(() -> action.accept(task)));
              }
              return problems;
            }));
  }

  private record Step(boolean takesOut, Function<List<TaskInfo>, List<@Nullable String>> function)
      implements BulkOperation.BulkAction {
    @Override
    public List<@Nullable String> apply(List<TaskInfo> tasks) {
      return function.apply(tasks);
    }
  }

  private BulkReport bulk(BulkOperation.BulkAction action) {
    // A dry run goes the way that the run will go.
    TaskScan walk = walk(/* takesOut= */ true);
    return new BulkOperation(walk, filter, action, operations.clock())
        .run(limit, look, stop, progress);
  }

  private TaskScan walk(boolean takesOut) {
    return new TaskScan(operations.inspection(), queue, state, group, takesOut, after);
  }
}
