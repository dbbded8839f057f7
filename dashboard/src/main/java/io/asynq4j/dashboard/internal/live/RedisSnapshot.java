package io.asynq4j.dashboard.internal.live;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a Redis at one instant. Immutable.
 *
 * @param at time of the last successful read; null before the first one
 * @param problem why the last read failed; then the other values are those of the last successful
 *     read. Null after success
 * @param queues rows by queue name
 * @param latencies latencies of queues about a minute ago, in milliseconds
 * @param info fields of Redis INFO; empty if INFO is not allowed
 */
public record RedisSnapshot(
    @Nullable Instant at,
    @Nullable String problem,
    Map<String, QueueRow> queues,
    List<ServerSnapshot> servers,
    List<ScheduleSnapshot> schedules,
    Map<String, Long> latencies,
    Map<String, String> info) {

  static final RedisSnapshot NONE =
      new RedisSnapshot(
          null, "Redis has not been read yet.", Map.of(), List.of(), List.of(), Map.of(), Map.of());

  public RedisSnapshot {
    queues = Collections.unmodifiableMap(new TreeMap<>(queues));
  }

  RedisSnapshot withProblem(String reason) {
    return new RedisSnapshot(at, reason, queues, servers, schedules, latencies, info);
  }

  /** Returns the queues that the user may see. */
  public List<QueueRow> visible(Grant grant) {
    return queues.values().stream().filter(row -> grant.sees(row.name())).toList();
  }
}
