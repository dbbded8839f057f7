package io.asynq4j.interop.peer;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task as Go's inspector returns it through {@code inspect.go}; bytes are in Base64. */
public record GoTaskInfo(
    String id,
    String queue,
    String type,
    @Nullable String payload,
    @Nullable Map<String, String> headers,
    String state,
    int maxRetry,
    int retried,
    String lastError,
    long lastFailedAt,
    long timeout,
    long deadline,
    String group,
    long nextProcessAt,
    boolean orphaned,
    long retention,
    long completedAt,
    @Nullable String result) {

  public GoTaskInfo {
    payload = payload == null ? "" : payload;
    headers = headers == null ? Map.of() : headers;
    result = result == null ? "" : result;
    // For a pending task it is the time at which one asks.
    nextProcessAt = state.equals(TaskState.PENDING.word()) ? 0 : nextProcessAt;
  }

  /** The same, as ours sees it. */
  public static GoTaskInfo of(TaskInfo info) {
    return new GoTaskInfo(
        info.id(),
        info.queue().value(),
        info.type(),
        Base64.getEncoder().encodeToString(info.payload().bytes()),
        info.headers(),
        info.state().word(),
        info.maxRetry(),
        info.retried(),
        info.lastError(),
        seconds(info.lastFailedAt()),
        info.timeout() == null ? 0 : info.timeout().toSeconds(),
        seconds(info.deadline()),
        info.group(),
        seconds(info.nextProcessAt()),
        info.orphaned(),
        info.retention().toSeconds(),
        seconds(info.completedAt()),
        Base64.getEncoder().encodeToString(info.result().bytes()));
  }

  /** Expected values of a task that has not run yet. */
  public static GoTaskInfo expected(GoTask task, TaskState state) {
    long timeout =
        task.timeout() == 0 && task.deadline() == 0
            ? TaskOptions.DEFAULT_TIMEOUT.toSeconds()
            : task.timeout() / 1000;
    return new GoTaskInfo(
        task.id(),
        task.queue(),
        task.type(),
        task.payload(),
        task.headers(),
        state.word(),
        task.allowedRetries(),
        0,
        "",
        0,
        timeout,
        task.deadline() / 1000,
        task.group(),
        task.processAt() / 1000,
        false,
        task.retention() / 1000,
        0,
        "");
  }

  /** The same values as this version of Go reports them. */
  public GoTaskInfo as(GoVersion version) {
    return version.knowsHeaders()
        ? this
        : new GoTaskInfo(
            id,
            queue,
            type,
            payload,
            Map.of(),
            state,
            maxRetry,
            retried,
            lastError,
            lastFailedAt,
            timeout,
            deadline,
            group,
            nextProcessAt,
            orphaned,
            retention,
            completedAt,
            result);
  }

  /** This without the words of its last failure, and when it failed and is due again. */
  public GoTaskInfo withoutFailure() {
    return new GoTaskInfo(
        id,
        queue,
        type,
        payload,
        headers,
        state,
        maxRetry,
        retried,
        "",
        0,
        timeout,
        deadline,
        group,
        0,
        orphaned,
        retention,
        completedAt,
        result);
  }

  private static long seconds(@Nullable Instant instant) {
    return instant == null ? 0 : instant.getEpochSecond();
  }
}
