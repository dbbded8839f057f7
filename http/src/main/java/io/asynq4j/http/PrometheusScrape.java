package io.asynq4j.http;

import io.asynq4j.metrics.QueueMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Metrics in the text format of Prometheus. Redis is called at most every few seconds, regardless
 * of how often they are scraped. Thread-safe.
 */
public final class PrometheusScrape implements AutoCloseable {

  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final Duration SHARED = Duration.ofSeconds(5);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<QueueMetrics> queues;
  private long readNanos = System.nanoTime() - SHARED.toNanos();

  /**
   * @param queues meters that are updated at a scrape, and closed with this object
   */
  public PrometheusScrape(List<QueueMetrics> queues) {
    this.queues = List.copyOf(queues);
    this.queues.forEach(each -> each.bindTo(registry));
  }

  /** The registry for further metrics. */
  public MeterRegistry registry() {
    return registry;
  }

  public ApiResponse scrape() {
    refresh();
    return ApiResponse.bytes(registry.scrape().getBytes(StandardCharsets.UTF_8), CONTENT_TYPE);
  }

  private synchronized void refresh() {
    if (System.nanoTime() - readNanos >= SHARED.toNanos()) {
      queues.forEach(QueueMetrics::refresh);
      readNanos = System.nanoTime();
    }
  }

  @Override
  public void close() {
    queues.forEach(QueueMetrics::close);
    registry.close();
  }
}
