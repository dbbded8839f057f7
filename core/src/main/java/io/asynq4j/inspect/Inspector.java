package io.asynq4j.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.ArchiveSettings;
import io.asynq4j.FailedAttempt;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport.Failure;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.Archived;
import io.asynq4j.internal.broker.Inspection.ArchivedAll;
import io.asynq4j.internal.broker.Inspection.Listing;
import io.asynq4j.internal.broker.Inspection.QueueStats;
import io.asynq4j.internal.broker.Inspection.Settings;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.doctor.DoctorScan;
import io.asynq4j.internal.doctor.UnservedTaskDetector;
import io.asynq4j.internal.inspect.BulkOperation;
import io.asynq4j.internal.inspect.ScheduleSnapshotReader;
import io.asynq4j.internal.inspect.ServerFleet;
import io.asynq4j.internal.inspect.TaskExplainer;
import io.asynq4j.internal.inspect.TaskOperations;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
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
public final class Inspector {

  /** Counters of days are kept for 90; more are asked for by mistake. */
  private static final int MOST_DAYS = 1_000;

  private final Broker broker;
  private final TaskOperations operations;
  private final ServerFleet fleet;

  private Inspector(Broker broker, TaskOperations operations) {
    this.broker = broker;
    this.operations = operations;
    this.fleet = new ServerFleet(broker);
  }

  public static Inspector create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return builder(redis.broker());
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
    return new Inspector(broker, operations.droppingOldest());
  }

  private Inspection inspection() {
    return broker.inspection();
  }

  // ---- queues

  /** The names of all queues that something was enqueued into, sorted. */
  public Set<String> queues() {
    return inspection().queues();
  }

  /** What is in a queue now. */
  public QueueSnapshot queue(String queue) {
    return snapshot(inspection().stats(QueueName.of(queue)));
  }

  /**
   * What is in a queue now whose name is from {@link #queues}. Asks only the server that has the
   * queue, while another server of a cluster may have the names. A queue that was removed since is
   * empty.
   */
  public QueueSnapshot listedQueue(String queue) {
    return snapshot(inspection().statsOfListed(QueueName.of(queue)));
  }

  private QueueSnapshot snapshot(QueueStats stats) {
    QueueName name = stats.queue();
    return new QueueSnapshot(
        name.value(),
        stats.at(),
        stats.sizes(),
        stats.groups(),
        stats.processedToday(),
        stats.failedToday(),
        stats.processed(),
        stats.failed(),
        stats.oldestPendingSince(),
        stats.paused() ? inspection().pausedSince(name).orElse(stats.at()) : null);
  }

  /**
   * A name of the Redis server of a cluster that has a queue, for callers that do not want to wait
   * for one server with calls to another. Known without asking Redis. Empty where one server has
   * all queues.
   */
  public String serverOf(String queue) {
    return broker.watches().shardOf(QueueName.of(queue));
  }

  /** An estimate of the memory that a queue takes; empty where Redis does not tell. */
  public OptionalLong memoryUsage(String queue) {
    return inspection().memoryUsage(QueueName.of(queue));
  }

  /** How many attempts ended on each of the last days, today first, by UTC. */
  public List<DayCount> history(String queue, int days) {
    return history(queue, days, ZoneOffset.UTC);
  }

  /**
   * The same as seen from a time zone. Redis counts by UTC days, and hours cannot be told apart any
   * more: each entry says when its day begins and ends there.
   */
  public List<DayCount> history(String queue, int days, ZoneId zone) {
    if (days < 1 || days > MOST_DAYS) {
      throw new IllegalArgumentException(
          "the number of days must be 1 to %,d: %,d".formatted(MOST_DAYS, days));
    }
    return inspection().history(QueueName.of(queue), days).stream()
        .map(day -> DayCount.of(day.date(), zone, day.processed(), day.failed()))
        .toList();
  }

  /**
   * The groups of a queue, with the number of tasks that wait in each; -1 when the group cannot be
   * read.
   */
  public Map<String, Long> groups(String queue) {
    QueueName name = QueueName.of(queue);
    inspection().requireQueue(name);
    return inspection().groupSizes(name);
  }

  /**
   * The groups of a queue that nobody seems to aggregate: they got their last task an hour ago and
   * are still there. The first 200 groups by name are looked at, with a call for each.
   */
  public List<String> unaggregatedGroups(String queue) {
    return new UnservedTaskDetector(broker).groups(QueueName.of(queue));
  }

  /**
   * Has servers take nothing more from a queue; what runs goes on. False when it was paused
   * already.
   */
  public boolean pause(String queue) {
    return inspection().pause(QueueName.of(queue));
  }

  /** False when it was not paused. */
  public boolean resume(String queue) {
    return inspection().resume(QueueName.of(queue));
  }

  /** The limits of a queue that are set in Redis. */
  public QueueLimits limits(String queue) {
    Settings settings = inspection().settings(QueueName.of(queue));
    return new QueueLimits(settings.maxActive(), settings.ordered(), settings.rate());
  }

  /** Sets the limits of a queue in Redis; they hold at once, until they are set again. */
  public void setLimits(String queue, QueueLimits limits) {
    inspection()
        .set(
            QueueName.of(queue), new Settings(limits.maxActive(), limits.ordered(), limits.rate()));
  }

  /**
   * Removes a queue and everything of it. Fails with a {@code QueueNotEmptyException} when it holds
   * tasks in whatever state and is not forced, and also by force while some are active.
   */
  public void removeQueue(String queue, boolean force) {
    inspection().removeQueue(QueueName.of(queue), force);
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
    return new TaskExplainer(inspection(), fleet, broker.clock()).explain(QueueName.of(queue), id);
  }

  /** Makes a waiting, archived or completed task pending. Its retries stay counted. */
  public void run(String queue, String id) {
    one(queue, id, "run", (name, ids) -> inspection().run(name, ids));
  }

  /**
   * Archives a task that does not run. Fails with a {@code TaskStateException} also when the
   * archive is full, unless {@link #droppingOldest} is used.
   */
  public void archive(String queue, String id) {
    one(queue, id, "archived", (name, ids) -> operations.archive(name, ids).answers());
  }

  /** How many more tasks fit into the archive of a queue without deleting its oldest. */
  public long archiveRoom(String queue) {
    return operations.archiveRoom(QueueName.of(queue));
  }

  /** Deletes a task that does not run, with the lock it holds. */
  public void delete(String queue, String id) {
    one(queue, id, "deleted", (name, ids) -> inspection().delete(name, ids));
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
    one(queue, id, "rescheduled", (name, ids) -> inspection().reschedule(name, ids, at));
  }

  /** The same with many; what cannot be done with some is in the report. */
  public BulkReport run(String queue, Collection<String> ids) {
    return many(ids, list -> inspection().run(QueueName.of(queue), list));
  }

  public BulkReport archive(String queue, Collection<String> ids) {
    LongAdder dropped = new LongAdder();
    BulkReport report =
        many(
            ids,
            list -> {
              Archived archived = operations.archive(QueueName.of(queue), list);
              dropped.add(archived.dropped());
              return archived.answers();
            });
    return new BulkReport(
        report.looked(),
        report.matched(),
        report.done(),
        report.failed(),
        report.failures(),
        report.cursor(),
        report.problem(),
        dropped.sum());
  }

  public BulkReport delete(String queue, Collection<String> ids) {
    return many(ids, list -> inspection().delete(QueueName.of(queue), list));
  }

  public BulkReport reschedule(String queue, Collection<String> ids, Instant at) {
    TimeMath.require(at, "the time of a task");
    return many(ids, list -> inspection().reschedule(QueueName.of(queue), list, at));
  }

  private interface Action {
    List<ActionAnswer> apply(QueueName queue, List<String> ids);
  }

  private static void one(String queue, String id, String verb, Action action) {
    QueueName name = QueueName.of(queue);
    TaskOperations.requireDone(name, id, verb, action.apply(name, List.of(id)).get(0));
  }

  private static BulkReport many(
      Collection<String> ids, Function<List<String>, List<ActionAnswer>> action) {
    List<String> all = List.copyOf(ids);
    List<Failure> failures = new ArrayList<>();
    List<ActionAnswer> answers = action.apply(all);
    for (int i = 0; i < all.size(); i++) {
      String problem = TaskOperations.problem(answers.get(i));
      if (problem != null) {
        failures.add(new Failure(all.get(i), problem));
      }
    }
    int size = all.size();
    int failed = failures.size();
    List<Failure> told = failures.subList(0, Math.min(failed, BulkOperation.MAX_FAILURES));
    return new BulkReport(size, size, size - failed, failed, told, null, null);
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
    TaskOperations.requireRunnable(state);
    return all(
        queue,
        state,
        progress,
        (name, group, steps) -> inspection().runAll(name, state, group, steps));
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
    TaskOperations.requireArchivable(state);
    long tasks = queue(queue).size(state);
    long room = archiveRoom(queue);
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

  /**
   * Archives the tasks of a state one after the other, all of them or until the archive is full:
   * the report says so then.
   */
  public BulkReport archiveEach(String queue, TaskState state, LongConsumer progress) {
    TaskOperations.requireArchivable(state);
    LongAdder dropped = new LongAdder();
    AtomicBoolean full = new AtomicBoolean();
    long done =
        all(
            queue,
            state,
            progress,
            (name, group, steps) -> {
              if (full.get()) {
                return 0;
              }
              ArchivedAll archived = operations.archiveAll(name, state, group, steps);
              dropped.add(archived.dropped());
              full.set(archived.full());
              return archived.done();
            });
    String problem = full.get() ? operations.archiveFull(QueueName.of(queue)) : null;
    return new BulkReport(done, done, done, 0, List.of(), null, problem, dropped.sum());
  }

  public long deleteAll(String queue, TaskState state) {
    return deleteAll(queue, state, so -> {});
  }

  /** As in {@link #runAll(String, TaskState, LongConsumer)}. */
  public long deleteAll(String queue, TaskState state, LongConsumer progress) {
    TaskOperations.requireDeletable(state);
    return all(
        queue,
        state,
        progress,
        (name, group, steps) -> inspection().deleteAll(name, state, group, steps));
  }

  private interface ActionOnAll {
    int apply(QueueName queue, @Nullable String group, IntConsumer steps);
  }

  private long all(String queue, TaskState state, LongConsumer progress, ActionOnAll action) {
    QueueName name = QueueName.of(queue);
    if (state != TaskState.AGGREGATING) {
      return action.apply(name, null, progress::accept);
    }
    long count = 0;
    for (Map.Entry<String, Long> group : groups(queue).entrySet()) {
      if (group.getValue() >= 0) {
        long before = count;
        count += action.apply(name, group.getKey(), so -> progress.accept(before + so));
      }
    }
    return count;
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

  // ---- servers and schedulers

  /**
   * All live servers with what they work on, by host and process. One whose data cannot be read has
   * a {@link ServerSnapshot#problem}, and a task of it a {@link WorkerSnapshot#problem}.
   */
  public List<ServerSnapshot> servers() {
    return fleet.servers();
  }

  /**
   * Tells a server to claim nothing more; what it runs goes on. Go servers do not hear it. False
   * when no such server is live.
   */
  public boolean quietServer(String serverId) {
    return fleet.quiet(serverId);
  }

  /**
   * Tells a server to stop: it waits for what it runs, puts the rest back, and is gone from the
   * list then. Go servers do not hear it. False when no such server is live.
   */
  public boolean stopServer(String serverId) {
    return fleet.stop(serverId);
  }

  /**
   * All periodic entries, by id: those that live schedulers show, and those that are remembered
   * while none does. One whose data cannot be read has a {@link ScheduleSnapshot#problem}.
   */
  public List<ScheduleSnapshot> schedules() {
    return new ScheduleSnapshotReader(broker).read();
  }

  /**
   * Has an entry enqueue nothing until it is resumed, whatever scheduler has it, over restarts.
   * False when it was paused already. This and what follows fail with a {@code
   * ScheduleNotFoundException} for an entry that is not remembered.
   */
  public boolean pauseSchedule(String id) {
    return broker.schedules().pause(id);
  }

  /** Makes up for nothing: it goes on with its next instant. False when it was not paused. */
  public boolean resumeSchedule(String id) {
    return broker.schedules().resume(id);
  }

  /**
   * Has an entry enqueue its task now, beside its schedule, paused or not. The scheduler that leads
   * does it within a second or two; when none hears of it within a minute, nothing happens.
   */
  public void runSchedule(String id) {
    broker.schedules().requestRun(id);
  }

  /**
   * Forgets all about an entry that no scheduler has any more: how far it is and whether it is
   * paused. One that still has it begins anew. Also removes an entry whose data cannot be read.
   */
  public void forgetSchedule(String id) {
    if (!broker.schedules().isListed(id)) {
      throw new ScheduleNotFoundException(id);
    }
    broker.schedules().forget(id);
  }

  /** What an entry has enqueued, newest first; the newest thousand are kept. */
  public List<ScheduleEvent> scheduleHistory(String entryId, int offset, int limit) {
    PageRequest page = PageRequest.at(offset, limit);
    return broker.presence().events(entryId, page.offset(), page.limit()).stream()
        .map(event -> new ScheduleEvent(event.taskId(), event.enqueuedAt(), event.problem()))
        .toList();
  }

  // ---- what does not fit together

  /** Finds what does not fit together in Redis, and puts it right if the options say so. */
  public Diagnosis doctor(DoctorOptions options) {
    return doctor(options, progress -> true);
  }

  /**
   * The same, step by step.
   *
   * @param goOn told of the progress after each step; the visit stops when it says no, and can be
   *     resumed
   */
  public Diagnosis doctor(DoctorOptions options, Predicate<DoctorProgress> goOn) {
    return new DoctorScan(broker, options, goOn).make();
  }

  // ---- Redis

  /** The slot of a Redis Cluster that a queue is in. */
  public int slot(String queue) {
    return inspection().slot(QueueName.of(queue));
  }

  /**
   * The nodes that serve the slot of a queue, as host:port, the primary first. Empty when Redis is
   * no cluster.
   */
  public List<String> nodes(String queue) {
    return inspection().nodes(QueueName.of(queue));
  }

  /** What {@code INFO} says, of one node if it is a cluster. */
  public Map<String, String> redisInfo() {
    return inspection().redisInfo();
  }
}
