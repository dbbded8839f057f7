package io.asynq4j.internal.broker;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads queues and tasks, and applies operator actions. Thread-safe. */
public interface Inspection {

  Set<String> queues();

  /** Throws a {@code QueueNotFoundException} if nothing was ever enqueued into the queue. */
  void requireQueue(QueueName queue);

  /** Marks a running task for cancellation in its record. Does nothing if it is not running. */
  void markCancelled(QueueName queue, String id, AfterCancel after);

  /** Returns the content of a queue at one instant. */
  QueueStats stats(QueueName queue);

  /**
   * Returns the content without checking that the queue exists: in a cluster, another server may
   * have the queue names. A missing queue is empty.
   */
  QueueStats statsOfListed(QueueName queue);

  /**
   * Counts of a queue.
   *
   * @param sizes per state
   * @param oldestPendingSince since when the next task to run has been waiting; null if there is
   *     none or it is unknown
   */
  record QueueStats(
      QueueName queue,
      Instant at,
      Map<TaskState, Long> sizes,
      long groups,
      long processedToday,
      long failedToday,
      long processed,
      long failed,
      boolean paused,
      @Nullable Instant oldestPendingSince) {
    public QueueStats {
      sizes = Map.copyOf(sizes);
    }

    public long size(TaskState state) {
      return sizes.getOrDefault(state, 0L);
    }

    /** The number of all tasks in the queue, including completed ones. */
    public long size() {
      return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Returns the estimated memory usage of a queue; empty if Redis does not report it. */
  OptionalLong memoryUsage(QueueName queue);

  /** Returns the counters of the last days, today first, by UTC date. */
  List<DailyStats> history(QueueName queue, int days);

  record DailyStats(LocalDate date, long processed, long failed) {}

  /** Returns groups with their number of waiting tasks; -1 if a group cannot be read. */
  Map<String, Long> groupSizes(QueueName queue);

  TaskInfo task(QueueName queue, String id);

  /** Returns how many of these tasks exist, in any state. */
  long count(QueueName queue, Collection<String> ids);

  /** Returns the queues that have a task with this ID. */
  List<QueueName> having(Collection<QueueName> queues, String id);

  /** Returns a task as it is stored, to derive another task from it. */
  Stored stored(QueueName queue, String id);

  /**
   * The stored data of a task.
   *
   * @param message its group is the current one: empty if the task was taken out to run alone
   * @param due when a scheduled task, or one in retry, may run; otherwise null
   * @param lockLeft how long its lock still excludes equal tasks; null if it has none
   */
  record Stored(
      TaskMessage message, TaskState state, @Nullable Instant due, @Nullable Duration lockLeft) {}

  /**
   * Returns the number of tasks before a pending one. Searches {@link #AHEAD_AT_MOST} tasks and
   * returns that number if it is not among them; -1 if the task is not pending.
   */
  long ahead(QueueName queue, String id);

  int AHEAD_AT_MOST = 100_000;

  /** Returns a page of tasks in a state. */
  Page list(QueueName queue, Listing listing);

  /**
   * The tasks and the page to list.
   *
   * @param group only for aggregating tasks
   * @param newestFirst starts with the last task to run or the last archived
   * @param cursor end of the previous page; takes precedence over the offset
   */
  record Listing(
      TaskState state,
      @Nullable String group,
      boolean newestFirst,
      int offset,
      int limit,
      @Nullable String cursor) {

    public Listing {
      if (state == TaskState.AGGREGATING && group == null) {
        throw new IllegalArgumentException("listing aggregating tasks requires a group");
      }
      if (offset < 0 || limit < 1) {
        throw new IllegalArgumentException(
            "offset must be 0 or greater and limit 1 or greater, got " + offset + ", " + limit);
      }
    }

    public static Listing of(TaskState state, int offset, int limit) {
      return new Listing(state, null, false, offset, limit, null);
    }

    public static Listing ofGroup(String group, int offset, int limit) {
      return new Listing(TaskState.AGGREGATING, group, false, offset, limit, null);
    }

    public Listing fromNewest() {
      return new Listing(state, group, true, offset, limit, cursor);
    }

    public Listing after(@Nullable String cursor) {
      return new Listing(state, group, newestFirst, offset, limit, cursor);
    }
  }

  /**
   * A page of tasks.
   *
   * @param total number of tasks on all pages
   * @param cursor for the next page; null if this one is the last
   * @param unreadable IDs of tasks on this page whose record is missing or cannot be read
   */
  record Page(List<TaskInfo> tasks, long total, @Nullable String cursor, List<String> unreadable) {}

  /** Makes waiting tasks pending. Returns one answer per ID. */
  List<ActionAnswer> run(QueueName queue, List<String> ids);

  /** Archives tasks; deletes the oldest archived tasks if the archive is full. */
  default List<ActionAnswer> archive(QueueName queue, List<String> ids, ArchiveRules rules) {
    return archive(queue, ids, rules, WhenFull.DROP_OLDEST).answers();
  }

  Archived archive(QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull);

  /**
   * The result of archiving tasks.
   *
   * @param dropped number of archived tasks deleted to make room, without those beyond the maximum
   *     age
   */
  record Archived(List<ActionAnswer> answers, long dropped) {}

  List<ActionAnswer> delete(QueueName queue, List<String> ids);

  /**
   * Deletes a task if the condition holds and the task is unchanged since the condition was tested.
   * Returns false otherwise.
   */
  boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition);

  /**
   * Delays scheduled, retried, pending and archived tasks until an instant, rounded up to a second.
   */
  List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due);

  /** The result of an operator action on a task. */
  record ActionAnswer(Status verdict, @Nullable TaskState state) {
    public enum Status {
      DONE,
      NOT_FOUND,
      /** The state of the task does not allow the action. */
      WRONG_STATE,
      /** The record of the task has no message. */
      NO_MESSAGE,
      /** It cannot be archived unless another archived task is deleted. */
      ARCHIVE_FULL
    }
  }

  /**
   * Makes all tasks of a state or group pending, in bounded steps; reports progress. Returns their
   * number.
   */
  int runAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress);

  /** Archives all tasks of a state; deletes the oldest archived tasks if the archive is full. */
  default int archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      IntConsumer progress) {
    return archiveAll(queue, state, group, rules, WhenFull.DROP_OLDEST, progress).done();
  }

  /** Archives all tasks of a state. Stops when the archive is full, if nothing may be dropped. */
  ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      IntConsumer progress);

  /**
   * The result of archiving all tasks of a state.
   *
   * @param done number of archived tasks
   * @param dropped as in {@link Archived}
   * @param full whether it stopped early because the archive was full
   */
  record ArchivedAll(int done, long dropped, boolean full) {}

  int deleteAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress);

  /** Replaces the payload of a waiting task, and its lock accordingly. */
  void updatePayload(QueueName queue, String id, Payload payload);

  /** Replaces the headers of a waiting task. */
  void updateHeaders(QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders);

  /** Returns false if it was already paused. */
  boolean pause(QueueName queue);

  /** Returns false if it was not paused. */
  boolean resume(QueueName queue);

  /** Returns since when the queue is paused; empty if it is not. */
  Optional<Instant> pausedSince(QueueName queue);

  /** Returns the latest stored failures of a task, oldest first. */
  List<FailedAttempt> failures(QueueName queue, String id);

  /**
   * Returns the operator's settings of a queue; empty fields mean that the configuration applies.
   */
  Settings settings(QueueName queue);

  void set(QueueName queue, Settings settings);

  record Settings(OptionalInt maxActive, Optional<Boolean> ordered, Optional<RateLimit> rate) {
    public static final Settings NONE = new Settings(OptionalInt.empty(), Optional.empty());

    public Settings(OptionalInt maxActive, Optional<Boolean> ordered) {
      this(maxActive, ordered, Optional.empty());
    }

    public Settings {
      if (maxActive.isPresent() && maxActive.getAsInt() < 0) {
        throw new IllegalArgumentException(
            "maxActive must be 0 or greater, got " + maxActive.getAsInt());
      }
    }
  }

  /** Returns the current rate of a queue; empty if Redis has no rate for it. */
  Optional<Pace> pace(QueueName queue);

  /**
   * A rate limit and its remaining tokens.
   *
   * @param tokens how many tasks may start at once
   * @param at when this was read
   */
  record Pace(RateLimit rate, double tokens, Instant at) {

    /** Returns when this many tasks may have started. */
    public Instant whenEnoughFor(long tasks) {
      double missing = Math.max(0, tasks - tokens);
      return at.plusMillis((long) Math.ceil(missing * 1000 / rate.perSecond()));
    }
  }

  /**
   * Removes a queue with all its data; with tasks only if forced, and never while tasks are active.
   */
  void removeQueue(QueueName queue, boolean force);

  /** Returns the Redis Cluster slot of a queue. */
  int slot(QueueName queue);

  /**
   * Returns the nodes that serve the slot of a queue, as host:port, the primary first. Empty
   * without a cluster.
   */
  List<String> nodes(QueueName queue);

  /** Returns the output of {@code INFO}. */
  Map<String, String> redisInfo();
}
