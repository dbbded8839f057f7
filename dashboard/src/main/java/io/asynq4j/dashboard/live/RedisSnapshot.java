package io.asynq4j.dashboard.live;

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
 * All that is known of a Redis at one instant. Immutable.
 *
 * @param at when it was last looked at with success; null when it never was
 * @param problem why it could not be looked at this time; then the rest is as it was
 * @param queues by name
 * @param latencies of queues about a minute ago, in milliseconds
 * @param info of Redis, as far as it matters here
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

  RedisSnapshot failing(String why) {
    return new RedisSnapshot(at, why, queues, servers, schedules, latencies, info);
  }

  public List<QueueRow> visible(Grant grant) {
    return queues.values().stream().filter(row -> grant.sees(row.name())).toList();
  }
}
