package io.asynq4j.client;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import java.util.Optional;

/**
 * The result of enqueueing a task. A duplicate is a result, not an exception; {@link #orThrow} is
 * for callers that treat it as an error. Immutable.
 *
 * <pre>{@code
 * TaskInfo task = client.enqueue(WELCOME_EMAIL, email).orThrow();
 * }</pre>
 */
public sealed interface EnqueueResult {

  /**
   * Returns the task if it is enqueued or deferred. Otherwise throws {@link
   * DuplicateTaskException}, {@link TaskIdConflictException}, or the error of a {@link Failed}
   * result.
   */
  TaskInfo orThrow();

  /** Returns the task if it is enqueued or deferred. */
  default Optional<TaskInfo> task() {
    return Optional.empty();
  }

  /** Returns whether the task is in Redis. False for a deferred one. */
  default boolean isEnqueued() {
    return this instanceof Enqueued;
  }

  /** Returns whether the task is enqueued or deferred, so that the caller need do nothing more. */
  default boolean isAccepted() {
    return this instanceof Accepted;
  }

  /** The task is enqueued or deferred. */
  sealed interface Accepted extends EnqueueResult {
    TaskInfo info();

    @Override
    default TaskInfo orThrow() {
      return info();
    }

    @Override
    default Optional<TaskInfo> task() {
      return Optional.of(info());
    }
  }

  /** The task is enqueued. */
  record Enqueued(TaskInfo info) implements Accepted {}

  /**
   * The task is stored elsewhere to be enqueued later, for example in an outbox until the
   * transaction of the caller commits. Duplicates are detected only then. A {@link TaskClient}
   * never returns this.
   *
   * @param info the task as it will be enqueued. It is not in Redis yet, so an inspector does not
   *     find it
   */
  record Deferred(TaskInfo info) implements Accepted {}

  /**
   * The task is not enqueued, because an equal unique task (same queue, type and payload) holds the
   * lock.
   *
   * @param holderId the ID of that task
   */
  record Duplicate(QueueName queue, String type, String holderId) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw new DuplicateTaskException(queue, type, holderId);
    }
  }

  /** The task is not enqueued, because the queue has a task with its ID, in any state. */
  record IdConflict(QueueName queue, String id) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw new TaskIdConflictException(queue, id);
    }
  }

  /**
   * One of many tasks could not be enqueued. A {@link io.asynq4j.BrokerException} reports whether
   * it may be enqueued nevertheless.
   */
  record Failed(RuntimeException error) implements EnqueueResult {
    @Override
    public TaskInfo orThrow() {
      throw error;
    }
  }
}
