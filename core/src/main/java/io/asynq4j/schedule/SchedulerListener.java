package io.asynq4j.schedule;

import java.time.Instant;

/**
 * Hears what a scheduler does. It is called by the scheduler's own thread, one call at a time, so
 * it must be quick: while it lasts nothing else is enqueued, and when it lasts for seconds another
 * replica takes over. What it throws is logged, and changes nothing.
 *
 * <p>In a Redis Cluster that thread does not wait for Redis. Between {@link #beforeEnqueue} and the
 * method that follows it, others may be called for other entries.
 */
public interface SchedulerListener {

  /**
   * A task is about to be enqueued. Neither of the other two follows when it turns out that another
   * replica has done it, or that the entry is paused.
   */
  default void beforeEnqueue(Firing firing) {}

  /** A task has been enqueued. */
  default void enqueued(Firing firing) {}

  /**
   * A task has not been enqueued: a {@link io.asynq4j.DuplicateTaskException} or {@link
   * io.asynq4j.TaskIdConflictException} when the queue has one that forbids it, a {@link
   * io.asynq4j.BrokerException} when Redis was not reached or refused it. The latter are told once
   * for an instant; whether it is tried again is up to the entry's {@link MissedPolicy}.
   */
  default void failed(Firing firing, RuntimeException error) {}

  /**
   * One task that an entry enqueues. Immutable.
   *
   * @param instant the instant that it stands for, however late it is; when the run was requested,
   *     for one that was
   * @param requested whether an operator asked for it, beside the schedule
   * @param taskId the id of the task
   */
  record Firing(ScheduleEntry entry, Instant instant, boolean requested, String taskId) {}
}
