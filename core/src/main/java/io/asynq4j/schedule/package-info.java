/**
 * Enqueueing tasks again and again, by cron or at intervals.
 *
 * <p>Start with {@link io.asynq4j.schedule.Scheduler} and {@link io.asynq4j.schedule.Schedule}.
 * {@link io.asynq4j.schedule.ScheduleSource} is for entries that come and go.
 */
@NullMarked
package io.asynq4j.schedule;

import org.jspecify.annotations.NullMarked;
