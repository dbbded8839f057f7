package io.asynq4j.dashboard.live;

import io.asynq4j.dashboard.api.Problems;
import io.asynq4j.dashboard.auth.AuditLog;
import io.asynq4j.dashboard.config.DashboardSettings;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All Redis servers of a dashboard, in the order in which they were given. */
public final class RedisInstances implements AutoCloseable {

  private final Map<String, RedisInstance> byName = new LinkedHashMap<>();

  public RedisInstances(DashboardSettings settings, AuditLog audit) {
    settings
        .redis()
        .forEach(
            (name, redis) -> byName.put(name, new RedisInstance(name, redis, settings, audit)));
  }

  public void start() {
    byName.values().forEach(RedisInstance::start);
  }

  /** The first when no name is given. */
  public RedisInstance get(@Nullable String name) {
    if (name == null) {
      return byName.values().iterator().next();
    }
    RedisInstance source = byName.get(name);
    if (source == null) {
      throw Problems.notFound(
          "There is no Redis \"" + name + "\" here; there are " + byName.keySet() + ".");
    }
    return source;
  }

  public Collection<RedisInstance> all() {
    return byName.values();
  }

  /** By the clock of the first. */
  public Instant now() {
    return get(null).now();
  }

  @Override
  public void close() {
    byName.values().forEach(RedisInstance::close);
  }
}
