package io.asynq4j.dashboard.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.live.RedisInstance;
import io.asynq4j.dashboard.live.RedisInstances;
import io.asynq4j.metrics.QueueMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What Prometheus asks for. Redis is asked at most every few seconds, however many ask. */
public final class MetricsResource implements AutoCloseable {

  private static final Duration SHARED = Duration.ofSeconds(5);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<QueueMetrics> metrics = new ArrayList<>();
  private long readNanos = System.nanoTime() - SHARED.toNanos();

  /**
   * @param ofThisProcess also its memory, processor and threads
   */
  public MetricsResource(RedisInstances sources, boolean ofThisProcess) {
    boolean areSeveral = sources.all().size() > 1;
    for (RedisInstance source : sources.all()) {
      QueueMetrics.Builder builder = QueueMetrics.builder(source.inspector()).every(Duration.ZERO);
      if (areSeveral) {
        builder.tag("redis", source.name());
      }
      QueueMetrics each = builder.build();
      each.bindTo(registry);
      metrics.add(each);
    }
    if (ofThisProcess) {
      List.of(
              new JvmMemoryMetrics(),
              new JvmThreadMetrics(),
              new ProcessorMetrics(),
              new UptimeMetrics())
          .forEach(each -> each.bindTo(registry));
    }
  }

  public List<Route> routes() {
    return List.of(Route.of("metrics", "GET", "/metrics", Role.VIEWER, this::scrape));
  }

  private ApiResponse scrape(Exchange exchange) {
    if (!exchange.user().grant().seesAll()) {
      throw Problem.forbidden("Metrics tell of all queues, and you may not see all of them.");
    }
    refresh();
    return ApiResponse.bytes(
        registry.scrape().getBytes(StandardCharsets.UTF_8),
        "text/plain; version=0.0.4; charset=utf-8",
        Map.of());
  }

  private synchronized void refresh() {
    if (System.nanoTime() - readNanos >= SHARED.toNanos()) {
      metrics.forEach(QueueMetrics::refresh);
      readNanos = System.nanoTime();
    }
  }

  @Override
  public void close() {
    metrics.forEach(QueueMetrics::close);
    registry.close();
  }
}
