package io.asynq4j.inspect;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.inspect.Diagnosis.DoctorProgress;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.doctor.DoctorScan;
import io.asynq4j.internal.inspect.ScheduleSnapshotReader;
import io.asynq4j.internal.inspect.ServerFleet;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads and operates queues, tasks, servers and schedules. Thread-safe; uses a connection and does
 * not close it.
 *
 * <pre>{@code
 * Inspector inspector = Inspector.create(redis);
 * inspector.queue("mail").pause();
 * long waiting = inspector.queue("mail").snapshot().size(TaskState.PENDING);
 * BulkReport report =
 *     inspector.queue("mail").select(TaskState.ARCHIVED).where(TaskFilter.type("email:*")).run();
 * }</pre>
 */
public final class Inspector {

  private final Broker broker;
  private final ArchiveRules archive;
  private final WhenFull whenFull;

  private Inspector(Broker broker, ArchiveRules archive, WhenFull whenFull) {
    this.broker = broker;
    this.archive = archive;
    this.whenFull = whenFull;
  }

  /** Returns an inspector with the default limits of archives. */
  public static Inspector create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return builder(BrokerConnection.brokerOf(redis));
  }

  static Builder builder(Broker broker) {
    return new Builder(broker);
  }

  /** Settings of an inspector. Not thread-safe. */
  public static final class Builder {
    private final Broker broker;
    private final ArchiveSettings archive = new ArchiveSettings();

    private Builder(Broker broker) {
      this.broker = broker;
    }

    /**
     * Limits of archives. Use the limits of the servers: a server deletes archived tasks beyond its
     * own limits.
     */
    public Builder archive(Consumer<ArchiveSettings> settings) {
      settings.accept(archive);
      return this;
    }

    public Inspector build() {
      return new Inspector(broker, ArchiveRules.of(archive), WhenFull.REFUSE);
    }
  }

  /**
   * Returns an inspector that deletes the oldest tasks of a full archive to make room, as servers
   * do. By default, an inspector refuses to archive a task if the archive is full.
   */
  public Inspector droppingOldest() {
    return new Inspector(broker, archive, WhenFull.DROP_OLDEST);
  }

  /**
   * Returns the names of all queues into which a task was ever enqueued, sorted. They are strings,
   * since another program may have written one that is not a valid {@link QueueName}.
   */
  public Set<String> queues() {
    return broker.queues().names();
  }

  /** Returns the inspector of one queue and its tasks. Does not check that the queue exists. */
  public QueueInspector queue(QueueName queue) {
    return new QueueInspector(broker, queue, archive, whenFull);
  }

  /** As {@link #queue(QueueName)}. */
  public QueueInspector queue(String queue) {
    return queue(QueueName.of(queue));
  }

  /**
   * Returns the tasks with this ID in the given queues; IDs are unique only within a queue. Takes
   * one round trip per thousand queues, and one per task found.
   */
  public List<TaskInfo> find(Collection<QueueName> queues, String id) {
    List<TaskInfo> found = new ArrayList<>();
    for (QueueName queue : broker.tasks().having(List.copyOf(queues), id)) {
      try {
        found.add(broker.tasks().task(queue, id));
      } catch (TaskNotFoundException | QueueNotFoundException e) {
        // It was deleted meanwhile.
      }
    }
    return found;
  }

  // ---- servers

  /**
   * Returns all live servers with the tasks that they run, by host and process. A server whose data
   * cannot be read has a {@link ServerSnapshot#problem}, a task of a server a {@link
   * ServerSnapshot.WorkerSnapshot#problem}.
   */
  public List<ServerSnapshot> servers() {
    return new ServerFleet(broker).servers();
  }

  /**
   * Asks a server to stop claiming tasks; running attempts continue. Go servers ignore it. Returns
   * false if there is no such live server.
   */
  public boolean quietServer(String serverId) {
    return new ServerFleet(broker).send(serverId, new ControlMessage.Quiet(serverId));
  }

  /**
   * Asks a server to stop: it waits for running attempts up to its shutdown timeout, requeues the
   * rest, and ends. Go servers ignore it. Returns false if there is no such live server.
   */
  public boolean stopServer(String serverId) {
    return new ServerFleet(broker).send(serverId, new ControlMessage.Stop(serverId));
  }

  // ---- schedules

  /**
   * Returns all schedule entries by ID: those of live schedulers, and stored ones without a live
   * scheduler. An entry whose data cannot be read has a {@link ScheduleSnapshot#problem}.
   */
  public List<ScheduleSnapshot> schedules() {
    return new ScheduleSnapshotReader(broker).read();
  }

  /**
   * Pauses a schedule entry until it is resumed, for all schedulers and across restarts. Returns
   * false if it was already paused.
   *
   * @throws ScheduleNotFoundException if no such entry is stored
   */
  public boolean pauseSchedule(String id) {
    return broker.schedules().pause(id);
  }

  /**
   * Resumes a schedule entry with its next instant; missed instants are skipped. Returns false if
   * it was not paused.
   *
   * @throws ScheduleNotFoundException if no such entry is stored
   */
  public boolean resumeSchedule(String id) {
    return broker.schedules().resume(id);
  }

  /**
   * Requests that an entry enqueues its task now, in addition to its schedule and even if it is
   * paused. The leading scheduler does so within about two seconds. Without a scheduler, the
   * request expires after a minute.
   *
   * @throws ScheduleNotFoundException if no such entry is stored
   */
  public void runSchedule(String id) {
    broker.schedules().requestRun(id);
  }

  /**
   * Deletes the stored progress and pause of an entry that no scheduler has any more. If a
   * scheduler still has it, the entry starts again. Also deletes an entry whose data cannot be
   * read.
   *
   * @throws ScheduleNotFoundException if no such entry is stored
   */
  public void forgetSchedule(String id) {
    if (!broker.schedules().isListed(id)) {
      throw new ScheduleNotFoundException(id);
    }
    broker.schedules().forget(id);
  }

  /** Returns the tasks that an entry has enqueued, newest first. The newest 1,000 are kept. */
  public List<ScheduleEvent> scheduleHistory(String entryId, int offset, int limit) {
    PageRequest page = PageRequest.at(offset, limit);
    return broker.presence().events(entryId, page.offset(), page.limit()).stream()
        .map(event -> new ScheduleEvent(event.taskId(), event.enqueuedAt(), event.problem()))
        .toList();
  }

  // ---- doctor and Redis

  /** Finds inconsistencies in Redis, and repairs them if the options require it. */
  public Diagnosis doctor(DoctorOptions options) {
    return doctor(options, progress -> true);
  }

  /**
   * Finds and repairs inconsistencies, and reports progress.
   *
   * @param goOn called after each step; the scan stops if it returns false, and can be resumed from
   *     {@link Diagnosis#resumeFrom}
   */
  public Diagnosis doctor(DoctorOptions options, Predicate<DoctorProgress> goOn) {
    return new DoctorScan(broker, options, goOn).make();
  }

  /** Returns the output of the Redis command {@code INFO}, of one node if it is a cluster. */
  public Map<String, String> redisInfo() {
    return broker.queues().redisInfo();
  }
}
