package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
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

  /** Returns what a handler gets: the type, payload and headers. */
  public Task task() {
    return Task.of(type, payload, headers);
  }

  public boolean isExhausted() {
    return retried >= maxRetry;
  }

  public TaskMessage withUniqueKey(String key) {
    return withPayload(payload, key);
  }

  public TaskMessage withPayload(Payload newPayload, String key) {
    return with(
        queue, newPayload, retried, lastError, key, lastFailedAt, completedAt, group, headers);
  }

  public TaskMessage withGroup(String name) {
    return with(
        queue, payload, retried, lastError, uniqueKey, lastFailedAt, completedAt, name, headers);
  }

  public TaskMessage withHeaders(Map<String, String> all) {
    return with(
        queue, payload, retried, lastError, uniqueKey, lastFailedAt, completedAt, group, all);
  }

  /** Returns the message for another queue, where it has no lock yet. */
  public TaskMessage movedTo(QueueName other) {
    return with(other, payload, retried, lastError, "", lastFailedAt, completedAt, group, headers);
  }

  /** Returns whether the task is deleted completely when it succeeds: no record, no lock. */
  public boolean leavesNothing() {
    return retention.isZero() && uniqueKey.isEmpty();
  }

  /**
   * Returns the message after an attempt failed at this time; {@code costsRetry} counts the retry.
   */
  public TaskMessage failed(String error, Instant at, boolean costsRetry) {
    int count = costsRetry ? retried + 1 : retried;
    return with(queue, payload, count, error, uniqueKey, at, completedAt, group, headers);
  }

  /** Returns the message after an attempt succeeded; a note replaces the last error. */
  public TaskMessage completed(Instant at, @Nullable String note) {
    String text = note == null ? lastError : note;
    return with(queue, payload, retried, text, uniqueKey, lastFailedAt, at, group, headers);
  }

  /** Returns the message with other values in the components that can change. */
  private TaskMessage with(
      QueueName queue,
      Payload payload,
      int retried,
      String lastError,
      String uniqueKey,
      @Nullable Instant lastFailedAt,
      @Nullable Instant completedAt,
      String group,
      Map<String, String> headers) {
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
