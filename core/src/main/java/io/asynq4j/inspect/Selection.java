package io.asynq4j.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.internal.inspect.BulkAction;
import io.asynq4j.internal.inspect.BulkOperation;
import io.asynq4j.internal.inspect.TaskOperations;
import io.asynq4j.internal.inspect.TaskScan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one state of a queue that match a filter, to search them or to apply an action to
 * all of them. Immutable and thread-safe: methods that change a setting return another selection.
 *
 * <pre>{@code
 * Selection failed =
 *     inspector.queue("mail").select(TaskState.ARCHIVED).where(TaskFilter.errorContains("timeout"));
 * long count = failed.count().matched();
 * BulkReport report = failed.run();
 * }</pre>
 *
 * <p>Everything happens in small steps, none of which blocks Redis for long. An operation can be
 * stopped and resumed later, even in another process.
 */
public final class Selection {

  private TaskOperations operations;
  private final TaskState state;
  private @Nullable String group;
  private TaskFilter filter = TaskFilter.all();
  private @Nullable String after;
  private long limit = Long.MAX_VALUE;
  private long look = Long.MAX_VALUE;
  private BooleanSupplier stop = () -> false;
  private Consumer<BulkProgress> progress = so -> {};

  Selection(TaskOperations operations, TaskState state) {
    this.operations = operations;
    this.state = state;
  }

  private Selection with(Consumer<Selection> change) {
    Selection copy = new Selection(operations, state);
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

  /** Selects only tasks that this filter matches too. */
  public Selection where(TaskFilter more) {
    return with(copy -> copy.filter = filter.and(more));
  }

  /** Selects only tasks of this group. Only for aggregating tasks. Default: all groups. */
  public Selection inGroup(String newGroup) {
    require(
        state == TaskState.AGGREGATING,
        "only aggregating tasks have a group, not " + state.word() + " ones: " + newGroup);
    return with(copy -> copy.group = newGroup);
  }

  /**
   * Starts at the cursor of a page or report; null starts at the beginning. A search can only
   * resume a search, and an operation only an operation.
   */
  public Selection after(@Nullable String cursor) {
    return with(copy -> copy.after = cursor);
  }

  /** Maximum number of tasks to act on. */
  public Selection limit(long tasks) {
    return with(copy -> copy.limit = positive(tasks));
  }

  /** Maximum number of tasks to read, whether they match or not. */
  public Selection lookAtMost(long tasks) {
    return with(copy -> copy.look = positive(tasks));
  }

  private static long positive(long tasks) {
    requireAtLeast(1, tasks, "the number of tasks");
    return tasks;
  }

  /**
   * Deletes the oldest tasks of a full archive to make room, as servers do. Default: {@link
   * #archive} stops when the archive is full.
   */
  public Selection droppingOldest() {
    return with(copy -> copy.operations = operations.droppingOldest());
  }

  /**
   * Stops if this returns true, tested every 200 tasks. An interrupt of the thread stops it too.
   */
  public Selection stopWhen(BooleanSupplier question) {
    return with(copy -> copy.stop = question);
  }

  /** Called every 200 tasks. */
  public Selection onProgress(Consumer<BulkProgress> listener) {
    return with(copy -> copy.progress = listener);
  }

  /**
   * Searches until this many tasks are found or {@link #lookAtMost} is reached. The order is that
   * of lists: archived and completed tasks newest first, all others in the order in which they run.
   */
  public TaskPage find(int most) {
    positive(most);
    TaskScan scan = scan(/* takesOut= */ false);
    List<TaskInfo> found = new ArrayList<>();
    long looked = 0;
    while (found.size() < most && looked < look && !BulkOperation.isStopped(stop)) {
      TaskPage page = scan.load((int) Math.min(BulkOperation.PAGE, look - looked));
      if (page == null) {
        break;
      }
      Predicate<TaskInfo> wanted = filterNow();
      page = scan.shorten(page, wanted, most - found.size());
      page.tasks().stream().filter(wanted).forEach(found::add);
      looked += page.looked();
      scan.advance(page, 0);
    }
    return TaskPage.of(found, looked, scan.total(), scan.place(), List.of());
  }

  private Predicate<TaskInfo> filterNow() {
    Instant now = operations.broker().clock().instant();
    return task -> filter.matches(task, now);
  }

  /** Searches all tasks lazily, in the order of {@link #find}. */
  public Stream<TaskInfo> stream() {
    TaskScan scan = scan(/* takesOut= */ false);
    return Stream.generate(() -> next(scan))
        .takeWhile(Optional::isPresent)
        .flatMap(page -> page.orElseThrow().tasks().stream().filter(filterNow()))
        .limit(limit);
  }

  private static Optional<TaskPage> next(TaskScan scan) {
    Optional<TaskPage> page = Optional.ofNullable(scan.load(BulkOperation.PAGE));
    page.ifPresent(loaded -> scan.advance(loaded, 0));
    return page;
  }

  /** Counts the tasks that match: a dry run of the actions. */
  public BulkReport count() {
    return bulk(BulkOperation.COUNT);
  }

  /** Makes the tasks pending, at the tail of the queue, in their order. */
  public BulkReport run() {
    TaskAction.RUN.require(state);
    return bulk(operations.runAction());
  }

  /**
   * Archives the tasks until the archive is full, which the report shows. Deletes no archived task
   * unless {@link #droppingOldest} is set.
   */
  public BulkReport archive() {
    TaskAction.ARCHIVE.require(state);
    return bulk(operations.archiveAction());
  }

  /** Deletes the tasks. */
  public BulkReport delete() {
    TaskAction.DELETE.require(state);
    return bulk(operations.deleteAction());
  }

  /** Moves the tasks one by one, as {@link QueueInspector#move(String, QueueName)} does. */
  public BulkReport moveTo(QueueName to) {
    operations.mover().requireOther(to);
    TaskAction.MOVE.require(state);
    return bulk(operations.moveAction(to));
  }

  /** As {@link #moveTo(QueueName)}. */
  public BulkReport moveTo(String to) {
    return moveTo(QueueName.of(to));
  }

  /** Cancels the tasks, as {@link QueueInspector#cancel(String, AfterCancel)} does. */
  public BulkReport cancel(AfterCancel afterwards) {
    TaskAction.CANCEL.require(state);
    return bulk(operations.cancelAction(afterwards));
  }

  /**
   * Sets the time at which the tasks are due, as {@link QueueInspector#reschedule(String, Instant)}
   * does. Each task is rescheduled once, even if the scan meets it again at its new position.
   */
  public BulkReport reschedule(Instant at) {
    TaskAction.RESCHEDULE.require(state);
    boolean staysInState = state == TaskState.SCHEDULED || state == TaskState.RETRY;
    return bulk(operations.rescheduleAction(at, staysInState));
  }

  private BulkReport bulk(BulkAction action) {
    // A dry run scans in the same order as the run.
    TaskScan scan = scan(/* takesOut= */ true);
    return new BulkOperation(action)
        .run(scan, filter, operations.broker().clock(), limit, look, stop, progress);
  }

  private TaskScan scan(boolean takesOut) {
    return new TaskScan(operations.broker(), operations.queue(), state, group, takesOut, after);
  }
}
