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
    // For a pending task, Go returns the time of the request.
    nextProcessAt = state.equals(TaskState.PENDING.word()) ? 0 : nextProcessAt;
  }

  /** The task as our inspector returns it. */
  public static GoTaskInfo of(TaskInfo info) {
    return of(info, info.headers());
  }

  /** The task as our inspector returns it, without what this version of Go does not know. */
  public static GoTaskInfo of(TaskInfo info, GoVersion version) {
    return of(info, version.knowsHeaders() ? info.headers() : Map.of());
  }

  private static GoTaskInfo of(TaskInfo info, Map<String, String> headers) {
    return new GoTaskInfo(
        info.id(),
        info.queue().value(),
        info.type(),
        Base64.getEncoder().encodeToString(info.payload().bytes()),
        headers,
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

  /** The same task without the text and time of its last failure, and without its due time. */
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
