package io.asynq4j.inspect;

import java.time.Instant;

/** A task that an entry of a scheduler has enqueued. Immutable. */
public record ScheduleEvent(String taskId, Instant enqueuedAt) {}
