package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is stored: its content, its options and its history. Times are whole seconds.
 *
 * @param timeout limit of one attempt; zero = none
 * @param uniqueKey the key of the lock it took, empty = none
 * @param group empty = none
 * @param unknownFields fields of a newer version; kept when the message is written again
 */
public record TaskMessage(
    String type,
    Payload payload,
    String id,
    QueueName queue,
    int maxRetry,
    int retried,
    String lastError,
    Duration timeout,
    @Nullable Instant deadline,
    String uniqueKey,
    @Nullable Instant lastFailedAt,
    Duration retention,
    @Nullable Instant completedAt,
    String group,
    Map<String, String> headers,
    Payload unknownFields) {

  /** A longer timeout counts as none; larger times would overflow. */
  public static final Duration LONGEST_ATTEMPT = Duration.ofDays(36_500);

  public TaskMessage {
    headers = Map.copyOf(headers);
  }

  /**
   * Returns when an attempt that starts now must end. The timeout applies to each attempt, the
   * deadline to all; the earlier one counts.
   */
  public Instant endOfAttempt(Instant now) {
    if (timeout.isZero()) {
      return deadline == null ? now.plus(TaskOptions.DEFAULT_TIMEOUT) : deadline;
    }
    Instant end = now.plus(timeout.compareTo(LONGEST_ATTEMPT) > 0 ? LONGEST_ATTEMPT : timeout);
    return deadline == null || end.isBefore(deadline) ? end : deadline;
  }

  /** Returns a description of the task with what the message contains. */
  public TaskInfo.Builder info() {
    return TaskInfo.builder(id, queue, type)
        .payload(payload)
        .headers(headers)
        .maxRetry(maxRetry)
        .retried(retried)
        .lastError(lastError)
        .lastFailedAt(lastFailedAt)
        .timeout(timeout.isZero() ? null : timeout)
        .deadline(deadline)
        .group(group)
        .retention(retention)
        .completedAt(completedAt)
        .uniqueKey(uniqueKey);
  }

  public boolean isExhausted() {
    return retried >= maxRetry;
  }

  public TaskMessage withUniqueKey(String key) {
    return with(payload, retried, lastError, key, lastFailedAt, completedAt);
  }

  public TaskMessage withPayload(Payload newPayload, String newUniqueKey) {
    return with(newPayload, retried, lastError, newUniqueKey, lastFailedAt, completedAt);
  }

  public TaskMessage withGroup(String newGroup) {
    return with(queue, uniqueKey, newGroup, headers);
  }

  public TaskMessage withHeaders(Map<String, String> newHeaders) {
    return with(queue, uniqueKey, group, newHeaders);
  }

  /** Returns the message for another queue, where it has no lock yet. */
  public TaskMessage movedTo(QueueName newQueue) {
    return with(newQueue, "", group, headers);
  }

  /** Returns whether the task is deleted completely when it succeeds: no record, no lock. */
  public boolean leavesNothing() {
    return retention.isZero() && uniqueKey.isEmpty();
  }

  /**
   * Returns the message after an attempt failed at this time; {@code costsRetry} counts the retry.
   */
  public TaskMessage failed(String error, Instant at, boolean costsRetry) {
    return with(payload, costsRetry ? retried + 1 : retried, error, uniqueKey, at, completedAt);
  }

  public TaskMessage completed(Instant at) {
    return with(payload, retried, lastError, uniqueKey, lastFailedAt, at);
  }

  public TaskMessage withLastError(String text) {
    return with(payload, retried, text, uniqueKey, lastFailedAt, completedAt);
  }

  private TaskMessage with(
      Payload payload,
      int retried,
      String lastError,
      String uniqueKey,
      @Nullable Instant lastFailedAt,
      @Nullable Instant completedAt) {
    return new TaskMessage(
        type,
        payload,
        id,
        queue,
        maxRetry,
        retried,
        lastError,
        timeout,
        deadline,
        uniqueKey,
        lastFailedAt,
        retention,
        completedAt,
        group,
        headers,
        unknownFields);
  }

  private TaskMessage with(
      QueueName queue, String uniqueKey, String group, Map<String, String> headers) {
    return new TaskMessage(
        type,
        payload,
        id,
        queue,
        maxRetry,
        retried,
        lastError,
        timeout,
        deadline,
        uniqueKey,
        lastFailedAt,
        retention,
        completedAt,
        group,
        headers,
        unknownFields);
  }
}
