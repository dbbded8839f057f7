package io.asynq4j.inspect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task that an entry of a scheduler has enqueued. Immutable.
 *
 * @param taskId empty when the record cannot be read
 * @param problem why the record cannot be read; null when it can
 */
public record ScheduleEvent(String taskId, Instant enqueuedAt, @Nullable String problem) {}
