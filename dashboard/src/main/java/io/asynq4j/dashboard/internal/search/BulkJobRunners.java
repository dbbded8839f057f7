package io.asynq4j.dashboard.internal.search;

import io.asynq4j.dashboard.internal.auth.AuditLog;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisInstances;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The bulk jobs of each Redis of a dashboard. Thread-safe. */
public final class BulkJobRunners implements AutoCloseable {

  private final Map<RedisInstance, BulkJobRunner> byRedis = new LinkedHashMap<>();

  public BulkJobRunners(RedisInstances sources, PayloadRenderer contents, AuditLog audit) {
    for (RedisInstance source : sources.all()) {
      byRedis.put(source, new BulkJobRunner(source, contents, audit));
    }
  }

  public BulkJobRunner of(RedisInstance source) {
    return Objects.requireNonNull(byRedis.get(source), "no Redis of this dashboard");
  }

  @Override
  public void close() {
    byRedis.values().forEach(BulkJobRunner::close);
  }
}
