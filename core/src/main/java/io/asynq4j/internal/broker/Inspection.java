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

/** Looks at queues and tasks, and changes what an operator wants changed. Thread-safe. */
public interface Inspection {

  Set<String> queues();

  /** Fails with a {@code QueueNotFoundException} when nothing was ever enqueued into it. */
  void requireQueue(QueueName queue);

  /** Notes in the record of a running task that it is to stop; nothing when it does not run. */
  void markCancelled(QueueName queue, String id, AfterCancel after);

  /** What is in a queue at one instant. */
  QueueStats stats(QueueName queue);

  /**
   * The same, without asking whether the queue exists: in a cluster, another server may have the
   * names of queues. One that does not exist is empty.
   */
  QueueStats statsOfListed(QueueName queue);

  /**
   * Counts of a queue.
   *
   * @param sizes of every state
   * @param oldestPendingSince since when the next task to run has been waiting; null when none or
   *     not known
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

    /** Everything in the queue, completed tasks too. */
    public long size() {
      return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** An estimate of the memory that a queue takes; empty where Redis does not tell. */
  OptionalLong memoryUsage(QueueName queue);

  /** Counters of the last days, today first, by UTC date. */
  List<DailyStats> history(QueueName queue, int days);

  record DailyStats(LocalDate date, long processed, long failed) {}

  /** Groups with the number of tasks that wait in each; -1 when the group cannot be read. */
  Map<String, Long> groupSizes(QueueName queue);

  TaskInfo task(QueueName queue, String id);

  /** How many of these tasks there are, in whatever state. */
  long count(QueueName queue, Collection<String> ids);

  /** Those of the queues that have a task with this id. */
  List<QueueName> having(Collection<QueueName> queues, String id);

  /** A task as it is stored, for whoever makes another one of it. */
  Stored stored(QueueName queue, String id);

  /**
   * What is stored of a task.
   *
   * @param message its group is where it belongs now: empty when it was taken out to run alone
   * @param due when a scheduled task, or one in retry, may run; else null
   * @param lockLeft how long it still keeps equal ones out; null when it does not
   */
  record Stored(
      TaskMessage message, TaskState state, @Nullable Instant due, @Nullable Duration lockLeft) {}

  /**
   * How many tasks come before a pending one. Looks at {@link #AHEAD_AT_MOST} and says so many when
   * it has not found it there; -1 when it is not pending.
   */
  long ahead(QueueName queue, String id);

  int AHEAD_AT_MOST = 100_000;

  /** A page of tasks in a state. */
  Page list(QueueName queue, Listing listing);

  /**
   * Which tasks, and which part of them.
   *
   * @param group only for aggregating tasks
   * @param newestFirst the last to run, the last archived, first
   * @param cursor where the page before ended; wins over the offset
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
        throw new IllegalArgumentException("a listing of aggregating tasks needs their group");
      }
      if (offset < 0 || limit < 1) {
        throw new IllegalArgumentException(
            "offset must not be negative and limit be 1 or more: " + offset + ", " + limit);
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
   * A part of the tasks that were asked for.
   *
   * @param total how many there are in all
   * @param cursor for the next page; null when this one is the last
   * @param unreadable ids of tasks on this page whose record is missing or cannot be read
   */
  record Page(List<TaskInfo> tasks, long total, @Nullable String cursor, List<String> unreadable) {}

  /** Makes waiting tasks pending. One answer for each id. */
  List<ActionAnswer> run(QueueName queue, List<String> ids);

  /** The oldest archived tasks are deleted where the archive is full. */
  default List<ActionAnswer> archive(QueueName queue, List<String> ids, ArchiveRules rules) {
    return archive(queue, ids, rules, WhenFull.DROP_OLDEST).answers();
  }

  Archived archive(QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull);

  /**
   * What became of tasks that were to be archived.
   *
   * @param dropped how many archived tasks were deleted to make room; those that were too old are
   *     not counted
   */
  record Archived(List<ActionAnswer> answers, long dropped) {}

  List<ActionAnswer> delete(QueueName queue, List<String> ids);

  /**
   * Deletes a task that is as the condition wants it, and only as it was when that was tested.
   * False when it is not so.
   */
  boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition);

  /**
   * Has scheduled, retried, pending and archived tasks wait until an instant, rounded up to a
   * second.
   */
  List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due);

  /** What became of a task that an operator wanted changed. */
  record ActionAnswer(Status verdict, @Nullable TaskState state) {
    public enum Status {
      DONE,
      NOT_FOUND,
      /** The state it is in forbids it. */
      WRONG_STATE,
      /** Its record holds no message. */
      NO_MESSAGE,
      /** It cannot be archived unless another archived task is deleted. */
      ARCHIVE_FULL
    }
  }

  /**
   * The same for all tasks of a state, or of a group, in bounded steps; tells its progress. Returns
   * how many.
   */
  int runAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress);

  /** The oldest archived tasks are deleted where the archive is full. */
  default int archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      IntConsumer progress) {
    return archiveAll(queue, state, group, rules, WhenFull.DROP_OLDEST, progress).done();
  }

  /** Ends where the archive is full, if nothing may be dropped. */
  ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      IntConsumer progress);

  /**
   * What became of all tasks of a state.
   *
   * @param done how many were archived
   * @param dropped as above
   * @param full whether it ended early, since the archive was full
   */
  record ArchivedAll(int done, long dropped, boolean full) {}

  int deleteAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress);

  /** Replaces the payload of a task that waits, and its lock with it. */
  void updatePayload(QueueName queue, String id, Payload payload);

  /** Replaces the headers of a task that waits. */
  void updateHeaders(QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders);

  /** False when it was paused already. */
  boolean pause(QueueName queue);

  /** False when it was not paused. */
  boolean resume(QueueName queue);

  /** Since when it is paused; empty when it is not. */
  Optional<Instant> pausedSince(QueueName queue);

  /** The latest failures of a task that were kept, oldest first. */
  List<FailedAttempt> failures(QueueName queue, String id);

  /** What operators have set for a queue; empty fields leave it to the configuration. */
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
            "maxActive must not be negative: " + maxActive.getAsInt());
      }
    }
  }

  /** How fast tasks of a queue may begin, as far as Redis knows; empty where it knows no rate. */
  Optional<Pace> pace(QueueName queue);

  /**
   * A rate, and how much of it is left.
   *
   * @param tokens how many tasks may begin at once
   * @param at when it was so
   */
  record Pace(RateLimit rate, double tokens, Instant at) {

    /** When so many tasks may have begun. */
    public Instant whenEnoughFor(long tasks) {
      double missing = Math.max(0, tasks - tokens);
      return at.plusMillis((long) Math.ceil(missing * 1000 / rate.perSecond()));
    }
  }

  /**
   * Removes a queue and everything of it; with tasks in it only when forced, and never while some
   * are active.
   */
  void removeQueue(QueueName queue, boolean force);

  /** The slot of a Redis Cluster that holds a queue. */
  int slot(QueueName queue);

  /**
   * The nodes that serve the slot of a queue, as host:port, the primary first. Empty when Redis is
   * no cluster.
   */
  List<String> nodes(QueueName queue);

  /** What {@code INFO} says. */
  Map<String, String> redisInfo();
}
