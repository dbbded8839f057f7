package io.asynq4j.dashboard.internal.live;

import io.asynq4j.TaskState;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.QueueSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One queue of a snapshot. Immutable.
 *
 * @param seen last values that could be read; null if there are none
 * @param servers number of live servers that serve the queue
 * @param problem why the queue could not be read this time; null if it could
 * @param unaggregated number of groups that no server seems to aggregate
 * @param isUnserved whether tasks are due, and neither a server nor another process claims them
 * @param orphans number of active tasks without a valid lease, if no live server serves the queue;
 *     of the first 50 active tasks only
 */
public record QueueRow(
    String name,
    @Nullable QueueSnapshot seen,
    int servers,
    @Nullable String problem,
    int unaggregated,
    boolean isUnserved,
    int orphans) {

  public QueueRow(
      String name, @Nullable QueueSnapshot seen, int servers, @Nullable String problem) {
    this(name, seen, servers, problem, /* unaggregated= */ 0, /* isUnserved= */ false, 0);
  }

  QueueRow withUnaggregated(int groups) {
    return new QueueRow(name, seen, servers, problem, groups, isUnserved, orphans);
  }

  QueueRow withUnserved(boolean unserved, int orphanedTasks) {
    return new QueueRow(name, seen, servers, problem, unaggregated, unserved, orphanedTasks);
  }

  public long size(TaskState state) {
    return seen == null ? 0 : seen.size(state);
  }

  public long size() {
    return seen == null ? 0 : seen.size();
  }

  public Duration latency() {
    return seen == null ? Duration.ZERO : seen.latency();
  }

  boolean paused() {
    return seen != null && seen.paused();
  }

  public long processed() {
    return seen == null ? 0 : seen.processed();
  }

  public long failed() {
    return seen == null ? 0 : seen.failed();
  }

  @Nullable Instant at() {
    return seen == null ? null : seen.at();
  }

  /**
   * Whether a page that shows one row does not need the other. Pages compute values that only grow
   * with time themselves.
   */
  boolean isSameExceptTime(@Nullable QueueRow other) {
    return other != null && fieldsExceptTime().equals(other.fieldsExceptTime());
  }

  private Map<String, @Nullable Object> fieldsExceptTime() {
    return fields().put("at", null).put("latencyMs", null).map();
  }

  public JsonFields fields() {
    JsonFields fields = new JsonFields().put("queue", name).put("at", at());
    if (seen != null) {
      fields
          .put("sizes", sizes(seen))
          .put("size", seen.size())
          .put("groups", seen.groups())
          .put("processedToday", seen.processedToday())
          .put("failedToday", seen.failedToday())
          .put("processed", seen.processed())
          .put("failed", seen.failed())
          .put("oldestPendingSince", seen.oldestPendingSince())
          .millis("latencyMs", seen.latency())
          .put("pausedSince", seen.pausedSince());
    }
    return fields.put("servers", servers).put("problem", problem);
  }

  private static Map<String, Long> sizes(QueueSnapshot seen) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    Arrays.stream(TaskState.values()).forEach(state -> sizes.put(state.word(), seen.size(state)));
    return sizes;
  }
}
