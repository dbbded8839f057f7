package io.asynq4j.client;

import io.asynq4j.DuplicateTaskException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskIdConflictException;
import io.asynq4j.TaskInfo;
import java.util.Optional;

/**
 * What became of a task that was to be enqueued. An equal task that exists already is a result, not
 * a failure; {@link #orThrow} is for callers to whom it is one. Immutable.
 */
public sealed interface EnqueueResult {

  /**
   * The task, if it is enqueued or deferred. Otherwise throws {@link DuplicateTaskException},
   * {@link TaskIdConflictException}, or the error of a {@link Failed} one.
   */
  TaskInfo orThrow();

  /** The task, if it is enqueued or deferred. */
  default Optional<TaskInfo> task() {
    return Optional.empty();
  }

  /** Whether the task is in Redis now. False for a deferred one. */
  default boolean isEnqueued() {
    return false;
  }

  /** Whether nothing more needs to be done for the task: it is enqueued, or deferred. */
  default boolean isAccepted() {
    return task().isPresent();
  }

  /** It is enqueued. */
  record Enqueued(TaskInfo info) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      return info;
    }

    @Override
    public Optional<TaskInfo> task() {
      return Optional.of(info);
    }

    @Override
    public boolean isEnqueued() {
      return true;
    }
  }

  /**
   * It is stored elsewhere, to be enqueued later: in an outbox, once the transaction of the caller
   * has committed. Whether an equal task or one with its ID exists is found out only then. A {@link
   * TaskClient} never returns this.
   *
   * @param info the task as it will be enqueued. It is not in Redis yet, so an inspector does not
   *     find it
   */
  record Deferred(TaskInfo info) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      return info;
    }

    @Override
    public Optional<TaskInfo> task() {
      return Optional.of(info);
    }
  }

  /**
   * It was to be unique, and an equal one (same queue, type and payload) holds the lock.
   *
   * @param holderId the id of that task
   */
  record Duplicate(QueueName queue, String type, String holderId) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw new DuplicateTaskException(queue, type, holderId);
    }
  }

  /** A task with its id is in the queue already, in whatever state. */
  record IdConflict(QueueName queue, String id) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw new TaskIdConflictException(queue, id);
    }
  }

  /**
   * One of many could not be enqueued, while others could. A {@link io.asynq4j.BrokerException}
   * tells whether it may have been nevertheless.
   */
  record Failed(RuntimeException error) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw error;
    }
  }
}
