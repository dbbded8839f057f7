package io.asynq4j.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.ArchiveSettings;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.inspect.BulkTaskOperations;
import io.asynq4j.internal.inspect.TaskExplainer;
import io.asynq4j.internal.inspect.TaskOperations;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Looks at queues, tasks and servers, and changes what an operator wants changed. Thread-safe; uses
 * a connection and does not close it.
 *
 * <p>What is asked of a queue that does not exist fails with a {@code QueueNotFoundException}, of a
 * task that does not with a {@code TaskNotFoundException}, and what the state of a task forbids
 * with a {@code TaskStateException}. Only pauses and limits may be set before there is a queue.
 */
public final class Inspector extends SystemInspector {

  private final TaskOperations operations;
  private final BulkTaskOperations bulk;

  private Inspector(Broker broker, TaskOperations operations) {
    super(broker);
    this.operations = operations;
    this.bulk = new BulkTaskOperations(operations);
  }

  public static Inspector create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return builder(BrokerConnection.brokerOf(redis));
  }

  static Builder builder(Broker broker) {
    return new Builder(broker);
  }

  /**
   * Collects what an inspector is to be; not thread-safe. Give it the same limits of the archive as
   * the servers have: they delete what it archives beyond theirs.
   */
  public static final class Builder {
    private final Broker broker;
    private final ArchiveSettings archive = new ArchiveSettings();

    private Builder(Broker broker) {
      this.broker = broker;
    }

    /** How much is kept of archived tasks: the same as the servers of the queues keep. */
    public Builder archive(Consumer<ArchiveSettings> settings) {
      settings.accept(archive);
      return this;
    }

    public Inspector build() {
      return new Inspector(
          broker, new TaskOperations(broker, ArchiveRules.of(archive), WhenFull.REFUSE));
    }
  }

  /**
   * An inspector that makes room in an archive that is full by deleting its oldest tasks, as
   * servers do. This one archives nothing then.
   */
  public Inspector droppingOldest() {
    return new Inspector(broker(), operations.droppingOldest());
  }

  // ---- tasks

  /** All that is known of a task. */
  public TaskInfo task(String queue, String id) {
    return inspection().task(QueueName.of(queue), id);
  }

  /**
   * How many of these tasks there are, in whatever state; one that is named twice counts twice. For
   * whoever wants to know of many that they are not there.
   */
  public long count(String queue, Collection<String> ids) {
    return inspection().count(QueueName.of(queue), ids);
  }

  /**
   * The tasks with this id in any of these queues: an id is one task's only within a queue. Which
   * queues have one is found out in one round trip for a thousand of them.
   */
  public List<TaskInfo> find(Collection<String> queues, String id) {
    List<TaskInfo> found = new ArrayList<>();
    for (QueueName queue : inspection().having(queues.stream().map(QueueName::of).toList(), id)) {
      try {
        found.add(inspection().task(queue, id));
      } catch (TaskNotFoundException | QueueNotFoundException e) {
        // It has gone meanwhile.
      }
    }
    return found;
  }

  /**
   * The latest failed attempts of a task, oldest first: five, unless its servers keep none. Those
   * of Go servers are not kept; of these only {@link TaskInfo#lastError} tells.
   */
  public List<FailedAttempt> failures(String queue, String id) {
    return inspection().failures(QueueName.of(queue), id);
  }

  /** A page of the tasks in a state. Aggregating ones are listed by {@link #groupTasks}. */
  public TaskPage tasks(String queue, TaskState state, PageRequest page) {
    if (state == TaskState.AGGREGATING) {
      throw new IllegalArgumentException(
          "aggregating tasks are listed by their group: groups(…) names them, groupTasks(…) lists"
              + " one");
    }
    return page(queue, state, null, page);
  }

  /** A page of the tasks that wait in a group; empty when there is no such group. */
  public TaskPage groupTasks(String queue, String group, PageRequest page) {
    return page(queue, TaskState.AGGREGATING, group, page);
  }

  private TaskPage page(String queue, TaskState state, @Nullable String group, PageRequest page) {
    Inspection.Page found =
        inspection()
            .list(
                QueueName.of(queue),
                new Listing(
                    state,
                    group,
                    page.isNewestFirst(state),
                    page.offset(),
                    page.limit(),
                    page.cursor()));
    return new TaskPage(found.tasks(), found.total(), found.cursor(), found.unreadable());
  }

  /** The tasks in a state, to be searched, counted or dealt with all together. */
  public Selection select(String queue, TaskState state) {
    return new Selection(operations, QueueName.of(queue), state);
  }

  /** Why a task does not run, or where it is instead. */
  public Explanation explain(String queue, String id) {
    return new TaskExplainer(inspection(), fleet(), broker().clock())
        .explain(QueueName.of(queue), id);
  }

  /** Makes a waiting, archived or completed task pending. Its retries stay counted. */
  public void run(String queue, String id) {
    one(queue, id, TaskAction.RUN, (name, ids) -> inspection().run(name, ids));
  }

  /**
   * Archives a task that does not run. Fails with a {@code TaskStateException} also when the
   * archive is full, unless {@link #droppingOldest} is used.
   */
  public void archive(String queue, String id) {
    one(queue, id, TaskAction.ARCHIVE, (name, ids) -> operations.archive(name, ids).answers());
  }

  /** How many more tasks fit into the archive of a queue without deleting its oldest. */
  public long archiveRoom(String queue) {
    return operations.archiveRoom(QueueName.of(queue));
  }

  /** Deletes a task that does not run, with the lock it holds. */
  public void delete(String queue, String id) {
    one(queue, id, TaskAction.DELETE, (name, ids) -> inspection().delete(name, ids));
  }

  /**
   * Deletes a task if it is as you want it to be: nobody changes it between the look and the
   * deletion, also not by enqueueing another one with the same id. False when it is not so.
   *
   * @param condition may be asked more than once
   */
  public boolean deleteIf(String queue, String id, Predicate<TaskInfo> condition) {
    return inspection().deleteIf(QueueName.of(queue), id, condition);
  }

  /**
   * Has a scheduled, pending or archived task, or one that waits for another attempt, run at this
   * time, rounded up to a second.
   */
  public void reschedule(String queue, String id, Instant at) {
    TimeMath.require(at, "the time of a task");
    one(queue, id, TaskAction.RESCHEDULE, (name, ids) -> inspection().reschedule(name, ids, at));
  }

  private interface Operation {
    List<ActionAnswer> apply(QueueName queue, List<String> ids);
  }

  private static void one(String queue, String id, TaskAction action, Operation operation) {
    QueueName name = QueueName.of(queue);
    TaskOperations.requireDone(name, id, action, operation.apply(name, List.of(id)).get(0));
  }

  /** The same as {@link #cancel(String, String, AfterCancel)}, and it is tried again. */
  public void cancel(String queue, String id) {
    cancel(queue, id, AfterCancel.RETRY);
  }

  /**
   * Has whoever runs a task told to stop, and says what becomes of it then. The handler still
   * decides: what it returns in time counts. Go servers always try it again. Nothing tells whether
   * the message was heard; the state of the task will.
   */
  public void cancel(String queue, String id, AfterCancel afterwards) {
    operations.cancel(QueueName.of(queue), id, afterwards);
  }

  /**
   * Replaces the payload of a task that is neither active nor completed, and its lock with it.
   * Fails with a {@code TaskStateException} when it would equal a unique task then.
   */
  public void updatePayload(String queue, String id, Payload payload) {
    inspection().updatePayload(QueueName.of(queue), id, payload);
  }

  /**
   * Replaces the headers of a task that is neither active nor completed. Fails with a {@code
   * TaskStateException} also when somebody else has changed the task meanwhile.
   *
   * @param newHeaders makes them of those it has
   */
  public void updateHeaders(
      String queue, String id, UnaryOperator<Map<String, String>> newHeaders) {
    inspection().updateHeaders(QueueName.of(queue), id, newHeaders);
  }

  /**
   * Moves a task to another queue, where it waits for what it waited for here; an archived one is
   * pending there. It is inserted there, then deleted here: whatever fails on the way, it is not
   * lost, and moving it again finishes the move.
   */
  public void move(String queue, String id, String newQueue) {
    operations.transfers().move(QueueName.of(queue), id, QueueName.of(newQueue));
  }

  /** Enqueues the same task anew, with a new id, to run at once. Returns the id. */
  public String copy(String queue, String id) {
    return copy(queue, id, options -> options);
  }

  /**
   * Enqueues the same task anew, with other options: in another queue, at another time, unique. Its
   * retries begin anew, and it takes no lock unless asked to. Returns its id.
   */
  public String copy(String queue, String id, UnaryOperator<TaskOptions.Builder> changes) {
    return operations.transfers().copy(QueueName.of(queue), id, changes);
  }

  // ---- many tasks

  /** The same with many; what cannot be done with some is in the report. */
  public BulkReport run(String queue, Collection<String> ids) {
    return bulk.run(QueueName.of(queue), ids);
  }

  public BulkReport archive(String queue, Collection<String> ids) {
    return bulk.archive(QueueName.of(queue), ids);
  }

  public BulkReport delete(String queue, Collection<String> ids) {
    return bulk.delete(QueueName.of(queue), ids);
  }

  public BulkReport reschedule(String queue, Collection<String> ids, Instant at) {
    TimeMath.require(at, "the time of a task");
    return bulk.reschedule(QueueName.of(queue), ids, at);
  }

  public BulkReport cancel(String queue, Collection<String> ids, AfterCancel afterwards) {
    return bulk.cancel(QueueName.of(queue), ids, afterwards);
  }

  public BulkReport move(String queue, Collection<String> ids, String newQueue) {
    return bulk.move(QueueName.of(queue), ids, QueueName.of(newQueue));
  }

  /** Makes all tasks of a state pending, of all groups if it is aggregating. Returns how many. */
  public long runAll(String queue, TaskState state) {
    return runAll(queue, state, so -> {});
  }

  /**
   * The same, and tells after each step how many it were so far.
   *
   * @param progress called by the same thread
   */
  public long runAll(String queue, TaskState state, LongConsumer progress) {
    return bulk.runAll(QueueName.of(queue), state, progress);
  }

  /** As {@link #archiveAll(String, TaskState, LongConsumer)}. */
  public long archiveAll(String queue, TaskState state) {
    return archiveAll(queue, state, so -> {});
  }

  /**
   * Archives all tasks of a state; its progress as in {@link #runAll(String, TaskState,
   * LongConsumer)}. Fails with an {@code IllegalStateException} when the archive has no room for
   * them, before it archives any, unless {@link #droppingOldest} is used.
   */
  public long archiveAll(String queue, TaskState state, LongConsumer progress) {
    return bulk.archiveAll(QueueName.of(queue), state, progress);
  }

  /**
   * Archives the tasks of a state one after the other, all of them or until the archive is full:
   * the report says so then.
   */
  public BulkReport archiveEach(String queue, TaskState state, LongConsumer progress) {
    return bulk.archiveEach(QueueName.of(queue), state, progress);
  }

  public long deleteAll(String queue, TaskState state) {
    return deleteAll(queue, state, so -> {});
  }

  /** As in {@link #runAll(String, TaskState, LongConsumer)}. */
  public long deleteAll(String queue, TaskState state, LongConsumer progress) {
    return bulk.deleteAll(QueueName.of(queue), state, progress);
  }
}
