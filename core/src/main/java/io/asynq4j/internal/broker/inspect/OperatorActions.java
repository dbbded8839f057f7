package io.asynq4j.internal.broker.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs, archives, deletes, reschedules and cancels tasks by ID, or all tasks in a state.
 * Thread-safe.
 *
 * <p>Actions by ID return one answer per ID. Actions on all tasks of a state work in bounded steps
 * and report the number of tasks so far. They include the tasks of all groups if the state is
 * aggregating and no group is given.
 */
public interface OperatorActions {

  /** The result of an action on a task. */
  record ActionAnswer(Status status, @Nullable TaskState state) {
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

  /** Makes waiting tasks pending. */
  List<ActionAnswer> run(QueueName queue, List<String> ids);

  Archived archive(QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull);

  /**
   * The result of archiving tasks.
   *
   * @param dropped number of archived tasks deleted to make room, without those beyond the maximum
   *     age
   */
  record Archived(List<ActionAnswer> answers, long dropped) {

    /** Returns whether tasks were not archived because the archive was full. */
    public boolean isFull() {
      return answers.stream()
          .anyMatch(answer -> answer.status() == ActionAnswer.Status.ARCHIVE_FULL);
    }
  }

  List<ActionAnswer> delete(QueueName queue, List<String> ids);

  /**
   * Delays scheduled, retried, pending and archived tasks until an instant, rounded up to a second.
   */
  List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due);

  /** Marks a running task for cancellation in its record. Does nothing if it is not running. */
  void markCancelled(QueueName queue, String id, AfterCancel after);

  /** Makes all tasks of a state or group pending. Returns their number. */
  long runAll(QueueName queue, TaskState state, @Nullable String group, LongConsumer progress);

  /** Archives all tasks of a state. Stops when the archive is full, if nothing may be dropped. */
  ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      LongConsumer progress);

  /**
   * The result of archiving all tasks of a state.
   *
   * @param done number of archived tasks
   * @param dropped as in {@link Archived}
   * @param full whether it stopped early because the archive was full
   */
  record ArchivedAll(long done, long dropped, boolean full) {}

  /** Deletes all tasks of a state or group, readable or not. Returns their number. */
  long deleteAll(QueueName queue, TaskState state, @Nullable String group, LongConsumer progress);
}
