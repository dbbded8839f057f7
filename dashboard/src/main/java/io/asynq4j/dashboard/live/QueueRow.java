package io.asynq4j.dashboard.live;

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
 * A queue as it was last seen. Immutable.
 *
 * @param seen null when it never could be read
 * @param servers how many live servers take tasks from it
 * @param problem why it could not be read this time; null when it could
 * @param unaggregated how many of its groups nobody seems to aggregate
 */
public record QueueRow(
    String name,
    @Nullable QueueSnapshot seen,
    int servers,
    @Nullable String problem,
    int unaggregated) {

  public QueueRow(
      String name, @Nullable QueueSnapshot seen, int servers, @Nullable String problem) {
    this(name, seen, servers, problem, /* unaggregated= */ 0);
  }

  QueueRow withUnaggregated(int groups) {
    return new QueueRow(name, seen, servers, problem, groups);
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
   * Whether a page that has the one need not be told the other: what only grows with the time, it
   * reckons itself.
   */
  boolean looksLike(@Nullable QueueRow other) {
    return other != null && lasting().equals(other.lasting());
  }

  private Map<String, @Nullable Object> lasting() {
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
