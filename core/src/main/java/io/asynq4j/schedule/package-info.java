/**
 * Periodic tasks, by cron or at intervals.
 *
 * <p>Start with {@link io.asynq4j.schedule.Scheduler} and {@link io.asynq4j.schedule.Schedule}. A
 * {@link io.asynq4j.schedule.ScheduleEntry} is a task with its schedule.
 */
@NullMarked
package io.asynq4j.schedule;

import org.jspecify.annotations.NullMarked;
