package io.asynq4j.internal.metrics;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of one queue and their last values. Thread-safe. */
public final class QueueMeters {

  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();
  private volatile @Nullable QueueSnapshot now;
  private volatile double processed;
  private volatile double failed;
  private volatile double memory = Double.NaN;
  private volatile double unaggregated = Double.NaN;
  private volatile double servers = Double.NaN;

  /**
   * @param legacyNames also registers the names of asynq's exporter. Two of its gauges end in
   *     {@code _total}, which Prometheus reserves for counters, so they are registered as counters:
   *     dashboards depend on the name
   */
  public QueueMeters(MeterRegistry registry, Tags tags, boolean legacyNames) {
    this.registry = registry;
    this.tags = tags;
    gauge(
        "asynq.queue.up",
        "1 if the last read of the queue succeeded, otherwise 0",
        null,
        q -> 1,
        0);
    for (TaskState state : TaskState.values()) {
      Tags withState = tags.and("state", state.word());
      gauge(
          "asynq.tasks",
          "Number of tasks in a state",
          null,
          q -> q.size(state),
          withState,
          Double.NaN);
      if (legacyNames && state != TaskState.AGGREGATING) {
        counter(
            "asynq.tasks.enqueued",
            "Number of tasks in a state; a gauge with the name that asynq's exporter uses",
            withState,
            () -> now(q -> q.size(state), Double.NaN));
      }
    }
    gauge(
        "asynq.queue.latency",
        "How long the next task to run has been waiting",
        "seconds",
        q -> q.latency().toMillis() / 1000.0,
        Double.NaN);
    gauge(
        "asynq.queue.paused",
        "How long the queue has been paused, at least one second; 0 if it is not paused",
        "seconds",
        QueueMeters::pausedSeconds,
        Double.NaN);
    gauge("asynq.queue.groups", "Number of groups with tasks", null, q -> q.groups(), Double.NaN);
    meters.add(
        Gauge.builder("asynq.queue.groups.unaggregated", this, own -> own.unaggregated)
            .description("Number of groups whose last task arrived an hour ago or earlier")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("asynq.queue.servers", this, own -> own.servers)
            .description("Number of live servers that serve the queue")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("asynq.queue.memory.usage.approx", this, own -> own.memory)
            .description("Estimated memory usage of the queue, from a sample")
            .baseUnit("bytes")
            .tags(tags)
            .register(registry));
    counter(
        "asynq.tasks.processed",
        "Attempts that ended since the queue was created, successful or not",
        tags,
        () -> processed);
    counter(
        "asynq.tasks.failed",
        "Attempts that failed since the queue was created",
        tags,
        () -> failed);
    if (legacyNames) {
      gauge(
          "asynq.queue.size",
          "Number of tasks in all states, including completed ones",
          null,
          q -> q.size(),
          Double.NaN);
      counter(
          "asynq.queue.paused.total",
          "1 while the queue is paused; a gauge with the name that asynq's exporter uses",
          tags,
          () -> now(q -> q.paused() ? 1 : 0, Double.NaN));
    }
  }

  private static double pausedSeconds(QueueSnapshot queue) {
    Instant since = queue.pausedSince();
    return since == null ? 0 : Math.max(1, Duration.between(since, queue.at()).toMillis() / 1000.0);
  }

  private void gauge(
      String name,
      String description,
      @Nullable String unit,
      ToDoubleFunction<QueueSnapshot> value,
      double otherwise) {
    gauge(name, description, unit, value, tags, otherwise);
  }

  private void gauge(
      String name,
      String description,
      @Nullable String unit,
      ToDoubleFunction<QueueSnapshot> value,
      Tags withTags,
      double otherwise) {
    meters.add(
        Gauge.builder(name, this, own -> own.now(value, otherwise))
            .description(description)
            .baseUnit(unit)
            .tags(withTags)
            .register(registry));
  }

  private void counter(String name, String description, Tags withTags, DoubleSupplier value) {
    meters.add(
        FunctionCounter.builder(name, this, own -> value.getAsDouble())
            .description(description)
            .tags(withTags)
            .register(registry));
  }

  private double now(ToDoubleFunction<QueueSnapshot> value, double otherwise) {
    QueueSnapshot known = now;
    return known == null ? otherwise : value.applyAsDouble(known);
  }

  public void is(QueueSnapshot snapshot) {
    now = snapshot;
    processed = snapshot.processed();
    failed = snapshot.failed();
  }

  public void isServedBy(double newServers) {
    servers = newServers;
  }

  public void hasUnaggregated(double groups) {
    unaggregated = groups;
  }

  public void takes(double bytes) {
    memory = bytes;
  }

  /** Marks the sizes as unknown; counters keep their values, since they must not decrease. */
  public void unknown() {
    now = null;
  }

  public void removeFrom(MeterRegistry from) {
    meters.forEach(from::remove);
  }
}
