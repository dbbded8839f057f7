package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who is there: servers with their workers, and schedulers with their entries. Thread-safe. */
public interface Presence {

  /**
   * A server process as others see it.
   *
   * @param heartbeat how often it shows itself; null when it does not say so, as Go's do not
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

    public Server(
        String host,
        int pid,
        String serverId,
        int concurrency,
        Map<String, Integer> queues,
        boolean strictPriority,
        String status,
        @Nullable Instant started,
        int activeWorkers) {
      this(
          host,
          pid,
          serverId,
          concurrency,
          queues,
          strictPriority,
          status,
          started,
          activeWorkers,
          null);
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
   * @param id the id of the task or entry; empty when it is not known
   * @param reason why it cannot be read
   */
  record Unreadable(String owner, String id, String reason) {}

  /** Shows a server and its workers for so long. */
  void show(Server server, List<Worker> workers, Duration ttl);

  void hide(Server server);

  /**
   * Takes schedulers off the list that have not shown themselves for too long and did not hide, as
   * when their process was killed. Servers do so for each other whenever they show themselves.
   */
  void forgetGoneSchedulers();

  List<Server> servers();

  /** The queues that servers serve who are there at this instant. Changes nothing. */
  Set<String> servedQueues(Instant now);

  /**
   * The servers, with the time until which they count as there unless they show themselves.
   *
   * @param broken called for each server whose record cannot be read
   */
  List<Seen> seen(Consumer<Unreadable> broken);

  record Seen(Server server, Instant until) {}

  /** The tasks that servers work on; without those that cannot be read. */
  default List<Worker> workers() {
    return workers(unreadable -> {});
  }

  /**
   * The tasks that servers work on.
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
        if (option.indexOf('(') < 0) {
          throw new IllegalArgumentException(
              "an option text needs parentheses, a Go inspector crashes without: \""
                  + option
                  + "\"");
        }
      }
    }
  }

  /**
   * A task that an entry has enqueued.
   *
   * @param taskId empty when the record cannot be read
   * @param problem why the record cannot be read; null when it can
   */
  record SchedulerEvent(String taskId, Instant enqueuedAt, @Nullable String problem) {
    public SchedulerEvent(String taskId, Instant enqueuedAt) {
      this(taskId, enqueuedAt, null);
    }
  }

  /** Shows the entries of a scheduler for so long. */
  void showEntries(String schedulerId, List<SchedulerEntry> entries, Duration ttl);

  void hideEntries(String schedulerId);

  /** The entries that live schedulers show; without those that cannot be read. */
  default List<SchedulerEntry> schedulerEntries() {
    return schedulerEntries(unreadable -> {});
  }

  /**
   * The entries that live schedulers show.
   *
   * @param broken called for each one that cannot be read
   */
  List<SchedulerEntry> schedulerEntries(Consumer<Unreadable> broken);

  /**
   * A name of the server of Redis that has the history of an entry, as far as it is known: never
   * asks, and never fails. Empty while it is not known, and where one server has all keys.
   */
  default String shardOfEvents(String entryId) {
    return "";
  }

  /**
   * Notes that an entry has enqueued a task; the newest 1,000 are kept, for 90 days after the last
   * one.
   */
  void recordEvent(String entryId, SchedulerEvent event);

  /** What an entry has enqueued, newest first. */
  List<SchedulerEvent> events(String entryId, int offset, int limit);

  void clearEvents(String entryId);
}
