package io.asynq4j.client;

import io.asynq4j.DuplicateTaskException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskIdConflictException;
import io.asynq4j.TaskInfo;
import java.util.Optional;

/**
 * What became of a task that was to be enqueued. That an equal one is there already is an answer,
 * not a failure; {@link #orThrow} is for those to whom it is one. Immutable.
 */
public sealed interface EnqueueResult {

  /** The task, if it is enqueued; what else it may be is thrown. */
  TaskInfo orThrow();

  /** The task, if it is enqueued. */
  default Optional<TaskInfo> task() {
    return Optional.empty();
  }

  default boolean isEnqueued() {
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
