package io.asynq4j;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of a {@link TaskInfo}. */
record TaskInfoRecord(
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
    @Nullable Instant since)
    implements TaskInfo {

  TaskInfoRecord {
    headers = Map.copyOf(headers);
  }

  @Override
  public Builder toBuilder() {
    return TaskInfo.builder(id, queue, type)
        .payload(payload)
        .headers(headers)
        .state(state)
        .maxRetry(maxRetry)
        .retried(retried)
        .lastError(lastError)
        .lastFailedAt(lastFailedAt)
        .timeout(timeout)
        .deadline(deadline)
        .group(group)
        .nextProcessAt(nextProcessAt)
        .orphaned(orphaned)
        .retention(retention)
        .completedAt(completedAt)
        .result(result)
        .crashes(crashes)
        .uniqueKey(uniqueKey)
        .progress(progress)
        .since(since);
  }
}
