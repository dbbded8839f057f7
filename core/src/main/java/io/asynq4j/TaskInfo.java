package io.asynq4j;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a task at one instant. Immutable.
 *
 * @param retried retries used up so far
 * @param lastError why the last attempt failed; empty when none did
 * @param timeout limit of one attempt; null when only the deadline limits it
 * @param nextProcessAt when it is due: now for a pending task, the time it waits for if scheduled
 *     or in retry
 * @param orphaned it is active, but the lease of its worker has run out
 * @param crashes how often in a row its worker has vanished
 * @param uniqueKey the Redis key of the lock it took; empty when it is not unique
 * @param progress how far its last attempt came; null when that has said nothing
 * @param since since when it is in its state; null where that is not kept: for scheduled and active
 *     tasks, and for what a Go process has made pending
 */
public record TaskInfo(
    String id,
    QueueName queue,
    String type,
    Payload payload,
    Map<String, String> headers,
    TaskState state,
    int maxRetry,
    int retried,
    String lastError,
    @Nullable Instant lastFailedAt,
    @Nullable Duration timeout,
    @Nullable Instant deadline,
    String group,
    @Nullable Instant nextProcessAt,
    boolean orphaned,
    Duration retention,
    @Nullable Instant completedAt,
    Payload result,
    int crashes,
    String uniqueKey,
    @Nullable Progress progress,
    @Nullable Instant since) {

  /** What the {@code lastError} of a completed task begins with when its result was not kept. */
  public static final String RESULT_DROPPED = "result dropped: ";

  public TaskInfo {
    headers = Map.copyOf(headers);
  }

  /**
   * Whether the task has succeeded with a result that was too large to be kept; then {@code
   * lastError} says how large it was.
   */
  public boolean isResultDropped() {
    return state == TaskState.COMPLETED && lastError.startsWith(RESULT_DROPPED);
  }
}
