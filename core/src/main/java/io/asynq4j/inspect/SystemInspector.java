package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.inspect.Diagnosis.DoctorProgress;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.QueueStats;
import io.asynq4j.internal.broker.Inspection.Settings;
import io.asynq4j.internal.doctor.DoctorScan;
import io.asynq4j.internal.doctor.UnservedTaskDetector;
import io.asynq4j.internal.inspect.ScheduleSnapshotReader;
import io.asynq4j.internal.inspect.ServerFleet;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The part of the inspector that is not about single tasks: queues, servers, schedules, the doctor
 * and Redis. Thread-safe.
 */
abstract sealed class SystemInspector permits Inspector {

  /** Counters of days are kept for 90; more are asked for by mistake. */
  private static final int MOST_DAYS = 1_000;

  private final Broker broker;
  private final ServerFleet fleet;

  SystemInspector(Broker broker) {
    this.broker = broker;
    this.fleet = new ServerFleet(broker);
  }

  final Broker broker() {
    return broker;
  }

  final ServerFleet fleet() {
    return fleet;
  }

  final Inspection inspection() {
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
    return QueueSnapshot.builder(name.value(), stats.at())
        .sizes(stats.sizes())
        .groups(stats.groups())
        .processedToday(stats.processedToday())
        .failedToday(stats.failedToday())
        .processed(stats.processed())
        .failed(stats.failed())
        .oldestPendingSince(stats.oldestPendingSince())
        .pausedSince(stats.paused() ? inspection().pausedSince(name).orElse(stats.at()) : null)
        .build();
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

  // ---- servers and schedules

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

  // ---- doctor and Redis

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
