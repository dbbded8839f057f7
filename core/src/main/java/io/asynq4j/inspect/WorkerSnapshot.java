package io.asynq4j.inspect;

import io.asynq4j.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task that a server works on, as it was at the server's last heartbeat. Immutable.
 *
 * @param taskId empty when it is not known, which only happens to a broken row
 * @param queue empty in a broken row
 * @param deadline when the attempt must be over
 * @param problem why the row is broken, so that no more is known than its task id; null when it is
 *     not
 */
public record WorkerSnapshot(
    String taskId,
    String taskType,
    Payload taskPayload,
    String queue,
    @Nullable Instant started,
    @Nullable Instant deadline,
    @Nullable String problem) {}
