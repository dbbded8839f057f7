package io.asynq4j.schedule;

import java.time.Instant;

/**
 * Is notified of the tasks that a scheduler enqueues. The scheduler's thread makes one call at a
 * time, so methods must return quickly: nothing else is enqueued meanwhile, and after seconds
 * another replica takes over. Exceptions are logged and have no effect.
 *
 * <p>Calls for other entries may occur between {@link #beforeEnqueue} and the call that reports its
 * result.
 */
public interface SchedulerListener {

  /**
   * Called before a task is enqueued. No other call follows if another replica has already enqueued
   * it, or if the entry is paused.
   */
  default void beforeEnqueue(Firing firing) {}

  /** Called after a task was enqueued. */
  default void enqueued(Firing firing) {}

  /**
   * Called when a task could not be enqueued. After a {@link io.asynq4j.BrokerException}, the
   * entry's {@link MissedPolicy} decides whether it is retried; such a failure is reported once per
   * instant.
   *
   * @param error a {@link io.asynq4j.client.DuplicateTaskException} or {@link
   *     io.asynq4j.client.TaskIdConflictException} if a task in the queue prevents it, or a {@link
   *     io.asynq4j.BrokerException} if Redis was unavailable or refused it
   */
  default void failed(Firing firing, RuntimeException error) {}

  /**
   * One task that an entry enqueues. Immutable.
   *
   * @param instant the scheduled instant, even if it fires later; for a requested run, the time of
   *     the request
   * @param requested whether an operator requested it in addition to the schedule
   * @param taskId the ID of the task
   */
  record Firing(ScheduleEntry entry, Instant instant, boolean requested, String taskId) {}
}
