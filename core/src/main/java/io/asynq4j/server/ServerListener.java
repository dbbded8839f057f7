package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a server does. Every method may be called by many threads at once and must be quick;
 * an exception is logged and has no other effect. This is a contract: logs and metrics are built on
 * it.
 */
public interface ServerListener {

  /**
   * A task of which something is told.
   *
   * @param retried retries used up before this attempt
   * @param waited how long it was pending before it was claimed; null when that is not known
   */
  record TaskRef(
      String id,
      QueueName queue,
      Task task,
      int retried,
      int maxRetry,
      @Nullable Duration waited) {}

  /** So many tasks were taken from a queue in one call. */
  default void claimed(QueueName queue, int count) {}

  /** A handler is about to be called. */
  default void started(TaskRef task) {}

  /**
   * A handler has decided, or its time was up. The attempt is not settled yet.
   *
   * @param outcome the outcome that is applied, with the delay and the text that are written: an
   *     archive instead of a retry when no retries are left
   * @param error why the attempt failed; null when it did not
   * @param ran how long the handler ran
   */
  default void finished(TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {}

  /** Redis has applied the outcome of an attempt, this long after the attempt ended. */
  default void settled(TaskRef task, Outcome outcome, Duration after) {}

  /** So many attempts were settled in one call; {@link #settled} tells of each of them too. */
  default void settledTogether(QueueName queue, int count) {}

  /** The lease on a task was lost: what its handler did has no effect on it any more. */
  default void leaseLost(TaskRef task) {}

  /** A handler was asked to stop and has not done so for a while; it occupies its worker. */
  default void stuck(TaskRef task, TaskContext.CancelReason reason, Duration since) {}

  /** A task was taken away from a worker that has vanished. */
  default void recovered(QueueName queue, String taskId, String action) {}

  /** Redis cannot be reached. Told once for each outage. */
  default void outageStarted(Throwable cause) {}

  default void outageEnded(Duration lasted) {}
}
