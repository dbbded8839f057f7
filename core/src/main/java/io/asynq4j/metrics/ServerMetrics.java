package io.asynq4j.metrics;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.internal.metrics.LabelLimiter;
import io.asynq4j.server.ServerListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Micrometer meters of the attempts of a server: {@code
 * TaskServer.builder(redis).listener(ServerMetrics.create(registry))}. Thread-safe; several servers
 * of a process may share one. docs/reference/metrics.md lists the meters.
 *
 * <p>Queues and task types are labels. To bound the number of meters, only the first queues and
 * types have their own label value; all later ones share the value {@code other}.
 */
public final class ServerMetrics implements ServerListener {

  /** Upper limits of the buckets, in seconds: 5 ms to 30 minutes. */
  private static final Duration[] DURATIONS =
      DoubleStream.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800)
          .mapToObj(seconds -> Duration.ofMillis(Math.round(seconds * 1_000)))
          .toArray(Duration[]::new);

  private static final double[] BATCHES = {1, 2, 5, 10, 20, 50};

  private final MeterRegistry registry;
  private final LabelLimiter queues;
  private final LabelLimiter types;
  private final LabelLimiter pairs;
  private final AtomicBoolean outage = new AtomicBoolean();

  /** By identity: comparing tasks would compare payloads. */
  private final Set<TaskRef> running =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  private ServerMetrics(Builder builder) {
    this.registry = builder.registry;
    this.queues = new LabelLimiter(builder.maxQueues);
    this.types = new LabelLimiter(builder.maxTypes);
    this.pairs = new LabelLimiter(builder.maxPairs);
    Gauge.builder("asynq.server.workers.busy", running, Set::size)
        .description("Handlers that run in this process")
        .register(registry);
    Gauge.builder("asynq.server.redis.up", outage, down -> down.get() ? 0 : 1)
        .description("1 while the servers of this process reach Redis, otherwise 0")
        .register(registry);
  }

  public static ServerMetrics create(MeterRegistry registry) {
    return builder(registry).build();
  }

  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Settings of server metrics. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private int maxQueues = 200;
    private int maxTypes = 200;
    private int maxPairs = 500;

    private Builder(MeterRegistry registry) {
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Maximum number of queues with their own label value. Default: 200. */
    public Builder maxQueues(int queues) {
      requireAtLeast(1, queues, "maxQueues");
      this.maxQueues = queues;
      return this;
    }

    /** Maximum number of task types with their own label value. Default: 200. */
    public Builder maxTypes(int types) {
      requireAtLeast(1, types, "maxTypes");
      this.maxTypes = types;
      return this;
    }

    /** Maximum number of pairs of queue and type with their own label values. Default: 500. */
    public Builder maxPairs(int pairs) {
      requireAtLeast(1, pairs, "maxPairs");
      this.maxPairs = pairs;
      return this;
    }

    public ServerMetrics build() {
      return new ServerMetrics(this);
    }
  }

  private Tags queue(QueueName queue) {
    return Tags.of("queue", queues.of(queue.value()));
  }

  private Tags queueAndType(TaskRef task) {
    String queue = queues.of(task.queue().value());
    String type = types.of(task.task().type());
    // The length of the queue name keeps pairs with spaces distinct.
    boolean isKnown =
        !pairs.of(queue.length() + " " + queue + " " + type).equals(LabelLimiter.OTHER);
    return Tags.of("queue", queue, "type", isKnown ? type : LabelLimiter.OTHER);
  }

  private void count(String name, String description, Tags tags, double by) {
    Counter.builder(name).description(description).tags(tags).register(registry).increment(by);
  }

  @Override
  public void claimed(QueueName queue, int count) {
    count("asynq.server.claimed", "Tasks that were claimed", queue(queue), count);
  }

  @Override
  public void started(TaskRef task) {
    running.add(task);
    Duration waited = task.waited();
    if (waited != null) {
      Timer.builder("asynq.task.wait")
          .description("How long tasks were pending before they were claimed")
          .tags(queueAndType(task))
          .serviceLevelObjectives(DURATIONS)
          .register(registry)
          .record(waited);
    }
  }

  @Override
  public void finished(TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {
    running.remove(task);
    Timer.builder("asynq.task.duration")
        .description("How long handlers ran")
        .tags(queueAndType(task).and("outcome", label(outcome.kind())))
        .serviceLevelObjectives(DURATIONS)
        .register(registry)
        .record(ran);
  }

  /** The values of the label are older than the names of the outcomes, and dashboards use them. */
  private static String label(Outcome.Kind kind) {
    return switch (kind) {
      case DONE -> "completed";
      case RETRY -> "retried";
      case SNOOZE -> "snoozed";
      case ARCHIVE -> "archived";
      case DROP -> "dropped";
      case REQUEUE -> "requeued";
    };
  }

  @Override
  public void settled(TaskRef task, Outcome outcome, Duration after) {
    Tags tags = queue(task.queue());
    Outcome.Kind kind = outcome.kind();
    if (kind == Outcome.Kind.REQUEUE || kind == Outcome.Kind.SNOOZE) {
      return;
    }
    count("asynq.server.processed", "Settled attempts, successful or failed", tags, 1);
    if (kind == Outcome.Kind.RETRY || kind == Outcome.Kind.ARCHIVE) {
      count("asynq.server.failed", "Failed attempts", tags, 1);
    }
    if (kind == Outcome.Kind.RETRY) {
      count("asynq.server.retried", "Failed attempts whose task is retried", tags, 1);
    }
    if (kind == Outcome.Kind.ARCHIVE) {
      count("asynq.server.archived", "Attempts that archived their task", tags, 1);
    }
  }

  @Override
  public void settledTogether(QueueName queue, int count) {
    DistributionSummary.builder("asynq.server.settle.batch.size")
        .description("Attempts that were settled in one call")
        .tags(queue(queue))
        .serviceLevelObjectives(BATCHES)
        .register(registry)
        .record(count);
  }

  @Override
  public void leaseLost(TaskRef task) {
    running.remove(task);
    count(
        "asynq.server.lease.losses",
        "Leases that were lost while a handler ran or before it was settled",
        queue(task.queue()),
        1);
  }

  @Override
  public void stuck(TaskRef task, TaskContext.CancelReason reason, Duration since) {
    count(
        "asynq.server.stuck",
        "Warnings about handlers that ignore a stop request",
        queue(task.queue()),
        1);
  }

  @Override
  public void recovered(QueueName queue, String taskId, String action) {
    count(
        "asynq.server.recoveries",
        "Tasks recovered from crashed workers",
        queue(queue).and("action", action),
        1);
  }

  @Override
  public void outageStarted(Throwable cause) {
    outage.set(true);
    count("asynq.server.redis.outages", "Times that Redis could not be reached", Tags.empty(), 1);
  }

  @Override
  public void outageEnded(Duration lasted) {
    outage.set(false);
    Timer.builder("asynq.server.redis.outage.duration")
        .description("How long Redis could not be reached")
        .register(registry)
        .record(lasted);
  }
}
