package io.asynq4j.dashboard.internal.live;

import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.problem.Problems;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All Redis servers and clusters of a dashboard, in the configured order. */
public final class RedisInstances implements AutoCloseable {

  private final Map<String, RedisInstance> byName = new LinkedHashMap<>();

  public RedisInstances(DashboardSettings settings) {
    settings
        .redis()
        .forEach((name, redis) -> byName.put(name, new RedisInstance(name, redis, settings)));
  }

  public void start() {
    byName.values().forEach(RedisInstance::start);
  }

  /** Returns the Redis with this name, or the first one if the name is null. */
  public RedisInstance get(@Nullable String name) {
    if (name == null) {
      return byName.values().iterator().next();
    }
    RedisInstance source = byName.get(name);
    if (source == null) {
      throw Problems.notFound(
          "Redis \"%s\" not found. Configured: %s."
              .formatted(name, String.join(", ", byName.keySet())));
    }
    return source;
  }

  public Collection<RedisInstance> all() {
    return byName.values();
  }

  /** Returns the time of the first Redis. */
  public Instant now() {
    return get(null).now();
  }

  @Override
  public void close() {
    byName.values().forEach(RedisInstance::close);
  }
}
