package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of claims, attempts, settlements and outages of a server. Implementations must be
 * thread-safe, and their methods must return quickly. Exceptions are logged and have no other
 * effect.
 *
 * <pre>{@code
 * ServerListener counter =
 *     new ServerListener() {
 *       public void settled(TaskRef task, Outcome outcome, Duration after) {
 *         counts.increment(outcome.kind());
 *       }
 *     };
 * }</pre>
 */
public interface ServerListener {

  /** The task of an event. Immutable. */
  sealed interface TaskRef permits TaskRefRecord {

    String id();

    QueueName queue();

    Task task();

    /** The number of retries before this attempt. */
    int retried();

    int maxRetry();

    /** How long it was pending before it was claimed; null if unknown. */
    @Nullable Duration waited();

    /** Returns the task of an event, for tests of listeners too. */
    static TaskRef of(
        String id,
        QueueName queue,
        Task task,
        int retried,
        int maxRetry,
        @Nullable Duration waited) {
      return new TaskRefRecord(id, queue, task, retried, maxRetry, waited);
    }
  }

  /** Called when {@code count} tasks were claimed from a queue in one call. */
  default void claimed(QueueName queue, int count) {}

  /** Called before a handler is called. */
  default void started(TaskRef task) {}

  /**
   * Called when a handler has decided or has exceeded its time limit. The attempt is not settled
   * yet.
   *
   * @param outcome the outcome that is applied, with the delay and text that are stored; an archive
   *     instead of a retry if no retries are left
   * @param error why the attempt failed; null if it did not fail
   * @param ran how long the handler ran
   */
  default void finished(TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {}

  /**
   * Called when Redis has applied the outcome of an attempt.
   *
   * @param after the time since the attempt ended
   */
  default void settled(TaskRef task, Outcome outcome, Duration after) {}

  /**
   * Called when {@code count} attempts were settled in one call. {@link #settled} is called for
   * each of them too.
   */
  default void settledTogether(QueueName queue, int count) {}

  /** Called when the lease of a task was lost, so that its outcome has no effect. */
  default void leaseLost(TaskRef task) {}

  /**
   * Called when a cancelled handler has not returned in time. It occupies its worker.
   *
   * @param since the time since it was cancelled
   */
  default void stuck(TaskRef task, TaskContext.CancelReason reason, Duration since) {}

  /**
   * Called when a task of a crashed worker was recovered.
   *
   * @param action {@code pending}, {@code retry}, {@code archive}, or {@code drop} if the queue has
   *     no such task
   */
  default void recovered(QueueName queue, String taskId, String action) {}

  /** Called once per outage when Redis is unreachable. */
  default void outageStarted(Throwable cause) {}

  /** Called when Redis is reachable again. */
  default void outageEnded(Duration lasted) {}
}
