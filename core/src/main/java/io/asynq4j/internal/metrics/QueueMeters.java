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

/** The meters of one queue, and what they tell until it is looked at again. Thread-safe. */
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
   * @param legacyNames also those of asynq's exporter. Two of its gauges are called {@code _total},
   *     which Prometheus keeps for counters, so they are registered as counters: boards look at the
   *     name
   */
  public QueueMeters(MeterRegistry registry, Tags tags, boolean legacyNames) {
    this.registry = registry;
    this.tags = tags;
    gauge("asynq.queue.up", "1 when the queue could be read last time, else 0", null, q -> 1, 0);
    for (TaskState state : TaskState.values()) {
      Tags withState = tags.and("state", state.word());
      gauge("asynq.tasks", "Tasks in a state", null, q -> q.size(state), withState, Double.NaN);
      if (legacyNames && state != TaskState.AGGREGATING) {
        counter(
            "asynq.tasks.enqueued",
            "Tasks in a state; no counter, but what asynq's exporter calls so",
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
        "How long it has been paused, a second at least; 0 when it is not",
        "seconds",
        QueueMeters::pausedSeconds,
        Double.NaN);
    gauge("asynq.queue.groups", "Groups that hold tasks", null, q -> q.groups(), Double.NaN);
    meters.add(
        Gauge.builder("asynq.queue.groups.unaggregated", this, own -> own.unaggregated)
            .description("Groups that got their last task an hour ago and are still there")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("asynq.queue.servers", this, own -> own.servers)
            .description("Live servers that serve the queue")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("asynq.queue.memory.usage.approx", this, own -> own.memory)
            .description("Memory that the queue takes, estimated from a sample")
            .baseUnit("bytes")
            .tags(tags)
            .register(registry));
    counter(
        "asynq.tasks.processed",
        "Attempts that ended since the queue exists, well or badly",
        tags,
        () -> processed);
    counter(
        "asynq.tasks.failed",
        "Attempts that ended badly since the queue exists",
        tags,
        () -> failed);
    if (legacyNames) {
      gauge(
          "asynq.queue.size",
          "Tasks in all states, completed ones too",
          null,
          q -> q.size(),
          Double.NaN);
      counter(
          "asynq.queue.paused.total",
          "1 while it is paused; no counter, but what asynq's exporter calls so",
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

  private void counter(
      String name, String description, Tags withTags, java.util.function.DoubleSupplier value) {
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

  /** Its sizes are not known; counters stay, since they never go back. */
  public void unknown() {
    now = null;
  }

  public void removeFrom(MeterRegistry from) {
    meters.forEach(from::remove);
  }
}
