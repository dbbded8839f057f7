package io.asynq4j.metrics;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.BrokerException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueInspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.metrics.QueueMeters;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Micrometer meters of all queues, servers and schedule entries in Redis: {@code
 * QueueMetrics.create(inspector).bindTo(registry)}. One process of a fleet needs it, unless the
 * dashboard runs. Thread-safe.
 *
 * <p>A thread reads Redis at fixed intervals, independent of how often the meters are read. A queue
 * that cannot be read has {@code asynq.queue.up} 0 and affects no other queue. The names of asynq's
 * exporter are registered too by default. docs/reference/metrics.md lists all meters.
 */
public final class QueueMetrics implements MeterBinder, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(QueueMetrics.class);

  private static final String NOT_READ =
      SafeLog.text("could not read the metrics of queues; retrying");

  private static final int MAX_SCHEDULES = 500;
  private static final Duration MEMORY_EVERY = Duration.ofMinutes(1);

  private final Inspector inspector;
  private final Duration every;
  private final int maxQueues;
  private final boolean legacyNames;
  private final Tags tags;
  private final WakeupSignal signal = new WakeupSignal();
  private final Map<String, QueueMeters> queues = new ConcurrentHashMap<>();

  private @Nullable MeterRegistry registry;
  private @Nullable MultiGauge schedules;
  private @Nullable Counter errors;
  private @Nullable Long memoryAskedNanos;
  private volatile boolean closed;
  private volatile boolean up;
  private volatile int allQueues;
  private volatile List<ServerSnapshot> servers = List.of();

  /** When an entry has last enqueued its task, in Unix time. */
  private volatile Map<String, Double> lastRuns = Map.of();

  private QueueMetrics(Builder builder) {
    this.inspector = builder.inspector;
    this.every = builder.every;
    this.maxQueues = builder.maxQueues;
    this.legacyNames = builder.legacyNames;
    this.tags = builder.tags;
  }

  public static QueueMetrics create(Inspector inspector) {
    return builder(inspector).build();
  }

  public static Builder builder(Inspector inspector) {
    return new Builder(inspector);
  }

  /** Settings of queue metrics. Not thread-safe. */
  public static final class Builder {
    private final Inspector inspector;
    private Duration every = Duration.ofSeconds(15);
    private int maxQueues = 1_000;
    private boolean legacyNames = true;
    private Tags tags = Tags.empty();

    private Builder(Inspector inspector) {
      this.inspector = Objects.requireNonNull(inspector, "inspector");
    }

    /**
     * Interval of reading Redis, at least 1s; zero reads only on {@link #refresh}. Default: 15s.
     */
    public Builder every(Duration interval) {
      require(
          interval.isZero() || interval.compareTo(Duration.ofSeconds(1)) >= 0,
          "every must be 0 or at least 1 second, got " + interval);
      this.every = interval;
      return this;
    }

    /** Maximum number of queues with meters, the first by name. Default: 1,000. */
    public Builder maxQueues(int queues) {
      requireAtLeast(0, queues, "maxQueues");
      this.maxQueues = queues;
      return this;
    }

    /** Whether to register the seven names of asynq's exporter too. Default: true. */
    public Builder legacyNames(boolean wanted) {
      this.legacyNames = wanted;
      return this;
    }

    /** Adds a tag to all meters, such as the name of this Redis if there are several. */
    public Builder tag(String name, String value) {
      this.tags = tags.and(name, value);
      return this;
    }

    public QueueMetrics build() {
      return new QueueMetrics(this);
    }
  }

  /** Registers the meters and starts to read Redis. Can be called once. */
  @Override
  public synchronized void bindTo(MeterRegistry newRegistry) {
    if (registry != null) {
      throw new IllegalStateException(
          "these metrics are already bound to a registry; create another QueueMetrics");
    }
    registry = newRegistry;
    gauge("asynq.up", "1 if Redis responded last time, otherwise 0", () -> up ? 1 : 0);
    gauge("asynq.queues", "Number of queues, including queues without meters", () -> allQueues);
    gauge("asynq.servers", "Live servers", () -> servers.size());
    gauge(
        "asynq.workers",
        "Tasks that all live servers could run at once",
        () -> servers.stream().mapToInt(ServerSnapshot::concurrency).sum());
    gauge(
        "asynq.workers.busy",
        "Tasks that all live servers run, by their own count",
        () -> servers.stream().mapToInt(ServerSnapshot::activeWorkers).sum());
    schedules =
        MultiGauge.builder("asynq.scheduler.last.enqueue.timestamp")
            .description("When an entry of a scheduler has last enqueued its task, in Unix time")
            .baseUnit("seconds")
            .tags(tags)
            .register(newRegistry);
    errors =
        Counter.builder("asynq.scrape.errors")
            .description("Number of failed reads")
            .tags(tags)
            .register(newRegistry);
    if (!every.isZero()) {
      DaemonThreadPools.factory("asynq-metrics").newThread(this::loop).start();
    }
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value)
        .description(description)
        .tags(tags)
        .register(Objects.requireNonNull(registry));
  }

  private void loop() {
    do {
      try {
        refresh();
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_READ, e);
      }
      signal.await(TimeMath.nanos(every));
    } while (!closed && !Thread.currentThread().isInterrupted());
  }

  /** Reads Redis now. */
  public synchronized void refresh() {
    MeterRegistry to = registry;
    if (to == null) {
      throw new IllegalStateException("bind the metrics to a registry first");
    }
    Set<String> names;
    try {
      names = inspector.queues();
    } catch (BrokerException e) {
      failed("the queues", e);
      up = false;
      queues.values().forEach(QueueMeters::markUnknown);
      return;
    }
    up = true;
    allQueues = names.size();
    List<String> shown = names.stream().limit(maxQueues).toList();
    forgetAllBut(Set.copyOf(shown));
    boolean asksMemory = isTimeForMemory();
    shown.forEach(queue -> refresh(queue, asksMemory, to));
    refreshServers();
    refreshSchedules();
  }

  private void forgetAllBut(Set<String> names) {
    queues.forEach(
        (queue, meters) -> {
          if (!names.contains(queue)) {
            meters.remove();
            queues.remove(queue);
          }
        });
  }

  private boolean isTimeForMemory() {
    long now = System.nanoTime();
    if (memoryAskedNanos != null && now - memoryAskedNanos < MEMORY_EVERY.toNanos()) {
      return false;
    }
    memoryAskedNanos = now;
    return true;
  }

  private void refresh(String queue, boolean asksMemory, MeterRegistry to) {
    QueueMeters meters =
        queues.computeIfAbsent(
            queue, name -> new QueueMeters(to, tags.and("queue", name), legacyNames));
    try {
      QueueInspector inspected = inspector.queue(queue);
      QueueSnapshot snapshot = inspected.snapshot();
      meters.update(snapshot);
      if (asksMemory) {
        OptionalLong memory = inspected.memoryUsage();
        meters.updateSampled(
            memory.isPresent() ? memory.getAsLong() : Double.NaN,
            snapshot.groups() == 0 ? 0 : inspected.unaggregatedGroups().size());
      }
    } catch (RuntimeException e) {
      // Any failure marks only this queue as unreadable.
      meters.markUnknown();
      failed("queue " + queue, e);
    }
  }

  private void refreshServers() {
    try {
      servers = inspector.servers();
      queues.forEach((queue, meters) -> meters.updateServers(serversOf(queue)));
    } catch (RuntimeException e) {
      servers = List.of();
      queues.values().forEach(meters -> meters.updateServers(Double.NaN));
      failed("the servers", e);
    }
  }

  private double serversOf(String queue) {
    return servers.stream().mapToInt(server -> server.queues().containsKey(queue) ? 1 : 0).sum();
  }

  private void refreshSchedules() {
    try {
      Map<String, Double> runs = new HashMap<>();
      for (ScheduleSnapshot schedule :
          inspector.schedules().stream().limit(MAX_SCHEDULES).toList()) {
        Instant previous = schedule.previous();
        if (previous != null) {
          runs.put(schedule.id(), previous.toEpochMilli() / 1000.0);
        }
      }
      lastRuns = runs;
      Objects.requireNonNull(schedules).register(runs.keySet().stream().map(this::row).toList());
    } catch (RuntimeException e) {
      failed("the schedules", e);
    }
  }

  private MultiGauge.Row<?> row(String id) {
    return MultiGauge.Row.of(
        Tags.of("entry", id), this, own -> own.lastRuns.getOrDefault(id, Double.NaN));
  }

  private void failed(String what, RuntimeException e) {
    Objects.requireNonNull(errors).increment();
    log.warn("{} could not be read for metrics: {}", what, e.getMessage());
  }

  /** Stops the thread that reads Redis; the meters keep their values. */
  @Override
  public void close() {
    closed = true;
    signal.raise();
  }
}
