package io.asynq4j.inspect;

import io.asynq4j.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task that a server works on, as it was at the server's last heartbeat. Immutable.
 *
 * @param deadline when the attempt must be over
 */
public record WorkerSnapshot(
    String taskId,
    String taskType,
    Payload taskPayload,
    String queue,
    @Nullable Instant started,
    @Nullable Instant deadline) {}
