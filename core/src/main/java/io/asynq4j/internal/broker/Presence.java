package io.asynq4j.internal.broker;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The presence of servers with their workers, and of schedulers with their entries. Thread-safe.
 */
public interface Presence {

  /**
   * A server process as others see it.
   *
   * @param heartbeat the interval of its heartbeats; null if it publishes none, as in Go
   */
  record Server(
      String host,
      int pid,
      String serverId,
      int concurrency,
      Map<String, Integer> queues,
      boolean strictPriority,
      String status,
      @Nullable Instant started,
      int activeWorkers,
      @Nullable Duration heartbeat) {
    public Server {
      queues = Map.copyOf(queues);
    }
  }

  /** A task being processed, as others see it. */
  record Worker(
      String host,
      int pid,
      String serverId,
      String taskId,
      String taskType,
      Payload taskPayload,
      QueueName queue,
      @Nullable Instant started,
      @Nullable Instant deadline) {}

  /**
   * A row of another process that cannot be read.
   *
   * @param owner the server or scheduler that wrote it: {@code host:pid:id}
   * @param id the ID of the task or entry; empty if unknown
   * @param reason why it cannot be read
   */
  record Unreadable(String owner, String id, String reason) {}

  /** Publishes a server and its workers for the duration {@code ttl}. */
  void show(Server server, List<Worker> workers, Duration ttl);

  void hide(Server server);

  /**
   * Unregisters schedulers that have expired without hiding, for example because their process was
   * killed. Servers do this for each other with each heartbeat.
   */
  void forgetGoneSchedulers();

  /** Returns the queues of the servers that are present at this instant. Changes nothing. */
  Set<String> servedQueues(Instant now);

  /**
   * Returns the servers, with the time until which they count as present without a further
   * heartbeat.
   *
   * @param broken called for each server whose record cannot be read
   */
  List<Seen> seen(Consumer<Unreadable> broken);

  record Seen(Server server, Instant until) {}

  /**
   * Returns the tasks that servers are processing.
   *
   * @param broken called for each one that cannot be read
   */
  List<Worker> workers(Consumer<Unreadable> broken);

  /**
   * An entry of a scheduler as others see it.
   *
   * @param options in asynq's text form
   */
  record SchedulerEntry(
      String id,
      String spec,
      String taskType,
      Payload taskPayload,
      List<String> options,
      @Nullable Instant next,
      @Nullable Instant previous) {
    public SchedulerEntry {
      options = List.copyOf(options);
      for (String option : options) {
        require(
            option.indexOf('(') >= 0,
            "an option text needs parentheses, otherwise a Go inspector crashes: \""
                + option
                + "\"");
      }
    }
  }

  /**
   * A task that an entry has enqueued.
   *
   * @param taskId empty if the record cannot be read
   * @param problem why the record cannot be read; null if it can
   */
  record SchedulerEvent(String taskId, Instant enqueuedAt, @Nullable String problem) {
    public SchedulerEvent(String taskId, Instant enqueuedAt) {
      this(taskId, enqueuedAt, null);
    }
  }

  /** Publishes the entries of a scheduler for the duration {@code ttl}. */
  void showEntries(String schedulerId, List<SchedulerEntry> entries, Duration ttl);

  void hideEntries(String schedulerId);

  /**
   * Returns the entries of live schedulers.
   *
   * @param broken called for each one that cannot be read
   */
  List<SchedulerEntry> schedulerEntries(Consumer<Unreadable> broken);

  /**
   * Returns a name of the Redis server that has the history of an entry, from cached data only;
   * never fails. Empty if it is unknown, and if one server has all keys.
   */
  String shardOfEvents(String entryId);

  /**
   * Records that an entry has enqueued a task. The newest 1,000 events are kept, for 90 days after
   * the last one.
   */
  void recordEvent(String entryId, SchedulerEvent event);

  /** Returns the tasks that an entry has enqueued, newest first. */
  List<SchedulerEvent> events(String entryId, int offset, int limit);
}
