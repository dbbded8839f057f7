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
    add(
        Gauge.builder("asynq.queue.up", this, own -> own.now == null ? 0 : 1)
            .description("1 if the last read of the queue succeeded, otherwise 0"));
    for (TaskState state : TaskState.values()) {
      add(
          gauge("asynq.tasks", queue -> queue.size(state))
              .description("Number of tasks in a state")
              .tag("state", state.word()));
      if (legacyNames && state != TaskState.AGGREGATING) {
        add(
            counter("asynq.tasks.enqueued", own -> own.read(queue -> queue.size(state)))
                .description(
                    "Number of tasks in a state; a gauge with the name that asynq's exporter uses")
                .tag("state", state.word()));
      }
    }
    add(
        gauge("asynq.queue.latency", queue -> queue.latency().toMillis() / 1000.0)
            .description("How long the next task to run has been waiting")
            .baseUnit("seconds"));
    add(
        gauge("asynq.queue.paused", QueueMeters::pausedSeconds)
            .description(
                "How long the queue has been paused, at least one second; 0 if it is not paused")
            .baseUnit("seconds"));
    add(
        gauge("asynq.queue.groups", QueueSnapshot::groups)
            .description("Number of groups with tasks"));
    add(
        Gauge.builder("asynq.queue.groups.unaggregated", this, own -> own.unaggregated)
            .description("Number of groups whose last task arrived an hour ago or earlier"));
    add(
        Gauge.builder("asynq.queue.servers", this, own -> own.servers)
            .description("Number of live servers that serve the queue"));
    add(
        Gauge.builder("asynq.queue.memory.usage.approx", this, own -> own.memory)
            .description("Estimated memory usage of the queue, from a sample")
            .baseUnit("bytes"));
    add(
        counter("asynq.tasks.processed", own -> own.processed)
            .description("Attempts that ended since the queue was created, successful or not"));
    add(
        counter("asynq.tasks.failed", own -> own.failed)
            .description("Attempts that failed since the queue was created"));
    if (legacyNames) {
      add(
          gauge("asynq.queue.size", QueueSnapshot::size)
              .description("Number of tasks in all states, including completed ones"));
      add(
          counter("asynq.queue.paused.total", own -> own.read(queue -> queue.paused() ? 1 : 0))
              .description(
                  "1 while the queue is paused; a gauge with the name that asynq's exporter uses"));
    }
  }

  private static double pausedSeconds(QueueSnapshot queue) {
    Instant since = queue.pausedSince();
    return since == null ? 0 : Math.max(1, Duration.between(since, queue.at()).toMillis() / 1000.0);
  }

  private Gauge.Builder<QueueMeters> gauge(String name, ToDoubleFunction<QueueSnapshot> value) {
    return Gauge.builder(name, this, own -> own.read(value));
  }

  private FunctionCounter.Builder<QueueMeters> counter(
      String name, ToDoubleFunction<QueueMeters> value) {
    return FunctionCounter.builder(name, this, value);
  }

  private void add(Gauge.Builder<?> gauge) {
    meters.add(gauge.tags(tags).register(registry));
  }

  private void add(FunctionCounter.Builder<?> counter) {
    meters.add(counter.tags(tags).register(registry));
  }

  private double read(ToDoubleFunction<QueueSnapshot> value) {
    QueueSnapshot known = now;
    return known == null ? Double.NaN : value.applyAsDouble(known);
  }

  public void update(QueueSnapshot snapshot) {
    now = snapshot;
    processed = snapshot.processed();
    failed = snapshot.failed();
  }

  public void updateServers(double newServers) {
    servers = newServers;
  }

  /** Updates the values that are read less often. */
  public void updateSampled(double memoryBytes, double unaggregatedGroups) {
    memory = memoryBytes;
    unaggregated = unaggregatedGroups;
  }

  /** Marks the sizes as unknown; counters keep their values, since they must not decrease. */
  public void markUnknown() {
    now = null;
  }

  public void remove() {
    meters.forEach(registry::remove);
  }
}
