package io.asynq4j.dashboard.internal.api;

import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisInstances;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.PrometheusScrape;
import io.asynq4j.http.Route;
import io.asynq4j.metrics.QueueMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Metrics for Prometheus. */
public final class MetricsResource implements AutoCloseable {

  private final PrometheusScrape metrics;

  /**
   * @param ofThisProcess whether to include memory, processor and threads of this process
   */
  public MetricsResource(RedisInstances sources, boolean ofThisProcess) {
    boolean areSeveral = sources.all().size() > 1;
    List<QueueMetrics> queues = new ArrayList<>();
    for (RedisInstance source : sources.all()) {
      QueueMetrics.Builder builder = QueueMetrics.builder(source.inspector()).every(Duration.ZERO);
      if (areSeveral) {
        builder.tag("redis", source.name());
      }
      queues.add(builder.build());
    }
    this.metrics = new PrometheusScrape(queues);
    if (ofThisProcess) {
      List.of(
              new JvmMemoryMetrics(),
              new JvmThreadMetrics(),
              new ProcessorMetrics(),
              new UptimeMetrics())
          .forEach(each -> each.bindTo(metrics.registry()));
    }
  }

  public List<Route<Role, Exchange>> routes() {
    return List.of(Route.of("metrics", "GET", "/metrics", Role.VIEWER, this::scrape));
  }

  private ApiResponse scrape(Exchange exchange) {
    if (!exchange.user().grant().seesAll()) {
      throw Problems.forbidden("Metrics contain all queues. They require access to all of them.");
    }
    return metrics.scrape();
  }

  @Override
  public void close() {
    metrics.close();
  }
}
