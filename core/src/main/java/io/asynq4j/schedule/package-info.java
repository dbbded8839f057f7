/**
 * Schedulers, which enqueue periodic tasks by cron or at intervals.
 *
 * <p>Start with {@link io.asynq4j.schedule.Scheduler} and {@link io.asynq4j.schedule.Schedule}. A
 * {@link io.asynq4j.schedule.ScheduleEntry} is a named task with its schedule; a {@link
 * io.asynq4j.schedule.MissedPolicy} decides about instants at which no scheduler ran.
 */
@NullMarked
package io.asynq4j.schedule;

import org.jspecify.annotations.NullMarked;
