package io.asynq4j.service.api;

import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.PrometheusScrape;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.metrics.QueueMetrics;
import io.asynq4j.metrics.ServerMetrics;
import io.asynq4j.server.ServerListener;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;

/** Metrics of requests, hosted tasks and queues for Prometheus. Thread-safe. */
public final class ServiceMetrics implements AutoCloseable {

  private final PrometheusScrape metrics;
  private final ServerMetrics server;

  public ServiceMetrics(Inspector inspector) {
    this.metrics =
        new PrometheusScrape(List.of(QueueMetrics.builder(inspector).every(Duration.ZERO).build()));
    this.server = ServerMetrics.create(metrics.registry());
  }

  public ServerListener serverListener() {
    return server;
  }

  /** Adds the number of requests that wait for tasks. */
  public void addWaiting(LeaseDispatcher dispatcher) {
    Gauge.builder("asynq.service.waiting", dispatcher, LeaseDispatcher::waiting)
        .description("requests for leases that wait for a task")
        .register(metrics.registry());
  }

  /** Counts a request by its route; paths would be too many. */
  void answered(String method, String route, int status, long nanos) {
    Timer.builder("asynq.service.requests")
        .description("answered requests")
        .tag("method", method)
        .tag("route", route)
        .tag("status", Integer.toString(status))
        .register(metrics.registry())
        .record(Duration.ofNanos(nanos));
  }

  public ApiResponse scrape() {
    return metrics.scrape();
  }

  @Override
  public void close() {
    metrics.close();
  }
}
