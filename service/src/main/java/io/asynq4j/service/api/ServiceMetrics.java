package io.asynq4j.service.api;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.metrics.QueueMetrics;
import io.asynq4j.metrics.ServerMetrics;
import io.asynq4j.server.ServerListener;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What Prometheus asks for: requests, hosted tasks, queues. Redis is asked every few seconds at
 * most, however many ask. Thread-safe.
 */
public final class ServiceMetrics implements AutoCloseable {

  private static final Duration SHARED = Duration.ofSeconds(5);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ServerMetrics server = ServerMetrics.create(registry);
  private final QueueMetrics queues;
  private long readNanos = System.nanoTime() - SHARED.toNanos();

  public ServiceMetrics(Inspector inspector) {
    this.queues = QueueMetrics.builder(inspector).every(Duration.ZERO).build();
    queues.bindTo(registry);
  }

  public ServerListener serverListener() {
    return server;
  }

  public void showWaiting(LeaseDispatcher desk) {
    Gauge.builder("asynq.service.waiting", desk, LeaseDispatcher::waiting)
        .description("requests for leases that wait for a task")
        .register(registry);
  }

  /** Routes and not paths, of which there are too many. */
  void answered(String method, String route, int status, long nanos) {
    Timer.builder("asynq.service.requests")
        .description("answered requests")
        .tag("method", method)
        .tag("route", route)
        .tag("status", Integer.toString(status))
        .register(registry)
        .record(Duration.ofNanos(nanos));
  }

  public byte[] scrape() {
    refresh();
    return registry.scrape().getBytes(StandardCharsets.UTF_8);
  }

  private synchronized void refresh() {
    if (System.nanoTime() - readNanos >= SHARED.toNanos()) {
      queues.refresh();
      readNanos = System.nanoTime();
    }
  }

  @Override
  public void close() {
    queues.close();
    registry.close();
  }
}
