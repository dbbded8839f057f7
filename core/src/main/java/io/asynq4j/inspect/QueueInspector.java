package io.asynq4j.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.doctor.UnservedCheck;
import io.asynq4j.internal.inspect.BulkAction;
import io.asynq4j.internal.inspect.BulkOperation;
import io.asynq4j.internal.inspect.TaskExplainer;
import io.asynq4j.internal.inspect.TaskOperations;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Reads and operates one queue and its tasks. Obtained from {@link Inspector#queue(String)}.
 * Immutable and thread-safe.
 *
 * <p>Methods throw a {@code QueueNotFoundException} if the queue does not exist, a {@code
 * TaskNotFoundException} if the task does not exist, and a {@code TaskStateException} if the state
 * of the task does not allow the action ({@link TaskAction}). Only pauses and limits can be set
 * before the queue exists.
 */
public final class QueueInspector {

  /** Redis keeps the counters of 90 days; a much larger number is a mistake. */
  private static final int MAX_DAYS = 1_000;

  private final Broker broker;
  private final QueueName queue;
  private final TaskOperations operations;

  QueueInspector(Broker broker, QueueName queue, ArchiveRules archive, WhenFull whenFull) {
    this.broker = broker;
    this.queue = queue;
    this.operations = new TaskOperations(broker, queue, archive, whenFull);
  }

  /** Returns the sizes and counters of the queue. */
  public QueueSnapshot snapshot() {
    return broker.queues().snapshot(queue);
  }

  /**
   * Returns the sizes and counters of a queue whose name is from {@link Inspector#queues}. Calls
   * only the Redis server that has the queue, since another server of a cluster may have the names.
   * A queue that was removed meanwhile is empty.
   */
  public QueueSnapshot listedSnapshot() {
    return broker.queues().listedSnapshot(queue);
  }

  /**
   * Returns a name of the Redis server of a cluster that has the queue, from cached data, so that
   * callers can call servers independently. Empty if one server has all queues.
   */
  public String redisServer() {
    return broker.watches().shardOf(queue);
  }

  /** Returns the estimated memory usage in bytes; empty if Redis does not report it. */
  public OptionalLong memoryUsage() {
    return broker.queues().memoryUsage(queue);
  }

  /** Returns the settled attempts of each of the last days by UTC date, today first. */
  public List<DayCount> history(int days) {
    return history(days, ZoneOffset.UTC);
  }

  /**
   * Returns the settled attempts of each of the last days, today first. Redis counts by UTC days,
   * so each entry has the start and end of its UTC day in the given zone.
   */
  public List<DayCount> history(int days, ZoneId zone) {
    requireBetween(1, MAX_DAYS, days, "the number of days");
    return broker.queues().history(queue, days).stream()
        .map(day -> DayCount.of(day.date(), zone, day.processed(), day.failed()))
        .toList();
  }

  /** Returns the groups with their number of waiting tasks; -1 if a group cannot be read. */
  public Map<String, Long> groups() {
    broker.queues().requireQueue(queue);
    return broker.queues().groupSizes(queue);
  }

  /**
   * Returns the groups that no server seems to aggregate: their last task arrived more than an hour
   * ago. Checks the first 200 groups by name, with one call each.
   */
  public List<String> unaggregatedGroups() {
    return UnservedCheck.unaggregatedGroups(broker, queue);
  }

  /**
   * Returns whether a task has been due for over five minutes, none has a live lease, and the queue
   * is not paused. May hold for an instant between two leases. Ignores {@link Inspector#servers}.
   */
  public boolean isUnclaimed() {
    return UnservedCheck.isUnclaimed(broker, queue, listedSnapshot());
  }

  /**
   * Pauses the queue: servers stop claiming its tasks, and running attempts continue. Returns false
   * if it was already paused.
   */
  public boolean pause() {
    return broker.queueControl().pause(queue);
  }

  /** Resumes the queue. Returns false if it was not paused. */
  public boolean resume() {
    return broker.queueControl().resume(queue);
  }

  /** Returns the limits of the queue that are set in Redis. */
  public QueueLimits limits() {
    return broker.queueControl().limits(queue);
  }

  /** Sets the limits of the queue in Redis. They apply at once, until they are set again. */
  public void setLimits(QueueLimits limits) {
    broker.queueControl().setLimits(queue, limits);
  }

  /**
   * Removes the queue and all its data. Throws a {@code QueueNotEmptyException} if it has active
   * tasks, or any tasks unless forced.
   */
  public void remove(boolean force) {
    broker.queueRemoval().remove(queue, force);
  }

  /** Returns the Redis Cluster slot of the queue. */
  public int slot() {
    return broker.queues().slot(queue);
  }

  /**
   * Returns the nodes that serve the slot of the queue, as host:port, the primary first. Empty if
   * Redis is not a cluster.
   */
  public List<String> nodes() {
    return broker.queues().nodes(queue);
  }

  // ---- reading tasks

  /** Returns a task. */
  public TaskInfo task(String id) {
    return broker.tasks().task(queue, id);
  }

  /** Returns how many of these tasks exist, in any state. A repeated ID counts repeatedly. */
  public long count(Collection<String> ids) {
    return broker.tasks().count(queue, ids);
  }

  /**
   * Returns the latest failed attempts of a task, oldest first. Servers keep five by default. Go
   * servers keep only {@link TaskInfo#lastError}.
   */
  public List<FailedAttempt> failures(String id) {
    return broker.tasks().failures(queue, id);
  }

  /** Returns a page of the tasks in a state. For aggregating tasks, use {@link #groupTasks}. */
  public TaskPage tasks(TaskState state, PageRequest page) {
    require(
        state != TaskState.AGGREGATING,
        "aggregating tasks are listed by group: use groups() and groupTasks(group, page)");
    return broker.tasks().list(queue, page.listing(state, null));
  }

  /** Returns a page of the tasks that wait in a group; empty if there is no such group. */
  public TaskPage groupTasks(String group, PageRequest page) {
    return broker.tasks().list(queue, page.listing(TaskState.AGGREGATING, group));
  }

  /** Returns why a task does not run, or where it is instead. */
  public Explanation explain(String id) {
    return new TaskExplainer(broker, queue, id).explain();
  }

  // ---- one task

  /** Makes a waiting, archived or completed task pending. Keeps its retry count. */
  public void run(String id) {
    operations.requireDone(id, TaskAction.RUN, broker.actions().run(queue, List.of(id)));
  }

  /**
   * Archives a task that is not active. Throws a {@code TaskStateException} also if the archive is
   * full, unless {@link Inspector#droppingOldest} is used.
   */
  public void archive(String id) {
    operations.requireDone(id, TaskAction.ARCHIVE, operations.archive(List.of(id)).answers());
  }

  /** Returns how many more tasks fit into the archive. */
  public long archiveRoom() {
    return operations.archiveRoom();
  }

  /** Deletes a task that is not active, and its unique lock. */
  public void delete(String id) {
    operations.requireDone(id, TaskAction.DELETE, broker.actions().delete(queue, List.of(id)));
  }

  /**
   * Deletes a task if the condition holds. No change of the task between test and deletion goes
   * unnoticed, not even its replacement by another task with the same ID. Returns false if the
   * condition does not hold. It may be tested more than once.
   */
  public boolean deleteIf(String id, Predicate<TaskInfo> condition) {
    return broker.taskEdits().deleteIf(queue, id, condition);
  }

  /** Sets the time at which a task is due, rounded up to a second. */
  public void reschedule(String id, Instant at) {
    TimeMath.require(at, "the time of a task");
    operations.requireDone(
        id, TaskAction.RESCHEDULE, broker.actions().reschedule(queue, List.of(id), at));
  }

  /** Cancels a task with {@link AfterCancel#RETRY}. */
  public void cancel(String id) {
    cancel(id, AfterCancel.RETRY);
  }

  /**
   * Asks the worker of a task to stop. If the handler still returns a result in time, that counts.
   * Go servers always retry the task. Delivery of the request is not confirmed; the state of the
   * task shows the effect.
   */
  public void cancel(String id, AfterCancel afterwards) {
    operations.cancel(id, afterwards);
  }

  /**
   * Replaces the payload of a task that is neither active nor completed, and its unique lock.
   * Throws a {@code TaskStateException} if another unique task has the same payload.
   */
  public void updatePayload(String id, Payload payload) {
    broker.taskEdits().updatePayload(queue, id, payload);
  }

  /**
   * Replaces the headers of a task that is neither active nor completed. Throws a {@code
   * TaskStateException} also if the task changes meanwhile.
   *
   * @param newHeaders returns the new headers for the current ones
   */
  public void updateHeaders(String id, UnaryOperator<Map<String, String>> newHeaders) {
    broker.taskEdits().updateHeaders(queue, id, newHeaders);
  }

  /**
   * Moves a task to another queue. It keeps its state, except that an archived task becomes
   * pending. The task is inserted there and then deleted here, so a failure loses nothing, and
   * repeating the call completes the move.
   */
  public void move(String id, QueueName to) {
    operations.mover().move(id, to);
  }

  /** As {@link #move(String, QueueName)}. */
  public void move(String id, String to) {
    move(id, QueueName.of(to));
  }

  /** Enqueues the same task again with a new ID, to run at once. Returns the new ID. */
  public String copy(String id) {
    return copy(id, options -> options);
  }

  /**
   * Enqueues the same task again with changed options, such as another queue or time. Its retry
   * count starts at 0, and it is unique only if the options require it. Returns the new ID.
   */
  public String copy(String id, UnaryOperator<TaskOptions.Builder> changes) {
    return operations.mover().copy(id, null, changes);
  }

  /** As {@link #copy(String, UnaryOperator)}, with another payload. */
  public String copy(String id, Payload payload, UnaryOperator<TaskOptions.Builder> changes) {
    return operations.mover().copy(id, payload, changes);
  }

  // ---- many tasks

  /** Selects the tasks of a state, to search them or to apply an action to all of them. */
  public Selection select(TaskState state) {
    return new Selection(operations, state);
  }

  /** Makes tasks pending, by ID. The report has the reason for each task that refused. */
  public BulkReport run(Collection<String> ids) {
    return byId(operations.runAction(), ids);
  }

  /** Archives tasks, by ID. The report has the reason for each task that refused. */
  public BulkReport archive(Collection<String> ids) {
    return byId(operations.archiveAction(), ids);
  }

  /** Deletes tasks, by ID. The report has the reason for each task that refused. */
  public BulkReport delete(Collection<String> ids) {
    return byId(operations.deleteAction(), ids);
  }

  /** Reschedules tasks, by ID. The report has the reason for each task that refused. */
  public BulkReport reschedule(Collection<String> ids, Instant at) {
    return byId(operations.rescheduleAction(at, /* staysInState= */ false), ids);
  }

  /** Cancels tasks, by ID. The report has the reason for each task that refused. */
  public BulkReport cancel(Collection<String> ids, AfterCancel afterwards) {
    return byId(operations.cancelAction(afterwards), ids);
  }

  /** Moves tasks, by ID. The report has the reason for each task that refused. */
  public BulkReport move(Collection<String> ids, QueueName to) {
    return byId(operations.moveAction(to), ids);
  }

  /** As {@link #move(Collection, QueueName)}. */
  public BulkReport move(Collection<String> ids, String to) {
    return move(ids, QueueName.of(to));
  }

  private static BulkReport byId(BulkAction action, Collection<String> ids) {
    return new BulkOperation(action).run(List.copyOf(ids));
  }

  /** As {@link #runAll(TaskState, LongConsumer)}. */
  public long runAll(TaskState state) {
    return runAll(state, count -> {});
  }

  /**
   * Makes all tasks of a state pending; if it is aggregating, those of all groups. Returns their
   * number.
   *
   * @param progress called with the number so far, on the calling thread
   */
  public long runAll(TaskState state, LongConsumer progress) {
    TaskAction.RUN.require(state);
    return broker.actions().runAll(queue, state, null, progress);
  }

  /** As {@link #archiveAll(TaskState, LongConsumer)}. */
  public long archiveAll(TaskState state) {
    return archiveAll(state, count -> {});
  }

  /**
   * Archives all tasks of a state, with progress as in {@link #runAll(TaskState, LongConsumer)}.
   * Throws an {@code IllegalStateException} and archives nothing if the archive has not enough
   * room, unless {@link Inspector#droppingOldest} is used.
   */
  public long archiveAll(TaskState state, LongConsumer progress) {
    return operations.archiveAll(state, progress);
  }

  /** Archives the tasks of a state until the archive is full, which the report shows. */
  public BulkReport archiveEach(TaskState state, LongConsumer progress) {
    return operations.archiveEach(state, progress);
  }

  /** As {@link #deleteAll(TaskState, LongConsumer)}. */
  public long deleteAll(TaskState state) {
    return deleteAll(state, count -> {});
  }

  /** Deletes all tasks of a state, with progress as in {@link #runAll(TaskState, LongConsumer)}. */
  public long deleteAll(TaskState state, LongConsumer progress) {
    TaskAction.DELETE.require(state);
    return broker.actions().deleteAll(queue, state, null, progress);
  }
}
