package io.asynq4j.internal.broker.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.TaskMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads single tasks and pages of tasks. Thread-safe. */
public interface TaskInspection {

  TaskInfo task(QueueName queue, String id);

  /** Returns the latest stored failures of a task, oldest first. */
  List<FailedAttempt> failures(QueueName queue, String id);

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
  TaskPage list(QueueName queue, Listing listing);

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
      require(
          state != TaskState.AGGREGATING || group != null,
          "listing aggregating tasks requires a group");
      requireAtLeast(0, offset, "offset");
      requireAtLeast(1, limit, "limit");
    }

    /** Returns the first page of a state. */
    public static Listing first(TaskState state, int limit) {
      return new Listing(state, null, false, 0, limit, null);
    }
  }
}
