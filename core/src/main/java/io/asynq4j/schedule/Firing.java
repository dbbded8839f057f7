package io.asynq4j.schedule;

import java.time.Instant;

/**
 * One task that an entry enqueues. Immutable.
 *
 * @param instant the instant that it stands for, however late it is; when the run was requested,
 *     for one that was
 * @param requested whether an operator asked for it, beside the schedule
 * @param taskId the id of the task
 */
public record Firing(ScheduleEntry entry, Instant instant, boolean requested, String taskId) {}
