package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.broker.Upkeep.Recovered;
import io.asynq4j.internal.schedule.SchedulerLifecycle;
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Moves the clock from event to event, and does at each what servers and schedulers would do: due
 * tasks become pending, leases and retention end, and schedule entries fire. Not thread-safe.
 */
public final class TimeMachine {

  private static final int MOST = 50;

  /** Later, scores have no room for the digits of a lease; and 0 often has the meaning "none". */
  private static final Instant EARLIEST = Instant.parse("1971-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("2100-01-01T00:00:00Z");

  /** Longer than any time by which the clock can be moved. */
  public static final Duration LONGEST = Duration.between(EARLIEST, LATEST);

  private final TestRedis redis;
  private final Supplier<ServerConfig> config;
  private final List<Scheduler> schedulers = new ArrayList<>();

  /**
   * @param config the rules of crashes, archives and queues
   */
  public TimeMachine(TestRedis redis, Supplier<ServerConfig> config) {
    this.redis = redis;
    this.config = config;
  }

  /** Fires the entries of a scheduler that was not started, from now on. */
  public void add(Scheduler scheduler) {
    step(scheduler);
    schedulers.add(scheduler);
  }

  public void forgetSchedulers() {
    schedulers.clear();
  }

  /** Returns the instant this long after now. */
  public Instant after(Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "the clock cannot be moved by %s: the latest time is %s".formatted(duration, LATEST));
    }
    return redis.now().plus(duration);
  }

  /** Moves the clock to an instant. */
  public void moveTo(Instant target) {
    Instant now = redis.now();
    if (target.isBefore(EARLIEST) || target.isAfter(LATEST)) {
      throw new IllegalArgumentException(
          "the clock cannot be set to %s: it must be from %s to %s, since Redis computes with numbers of limited precision"
              .formatted(target, EARLIEST, LATEST));
    }
    if (target.isBefore(now) && !redis.isEmpty()) {
      throw new IllegalArgumentException(
          "the clock cannot be set back from %s to %s, because Redis has data already: set it before anything is enqueued, or move it forward"
              .formatted(now, target));
    }
    requireIdleServers(target);
    catchUp();
    for (Optional<Instant> next = nextEvent(target); next.isPresent(); next = nextEvent(target)) {
      redis.set(next.get());
      catchUp();
    }
    redis.set(target);
    catchUp();
  }

  /** A server extends its leases by real time, and could not keep up. */
  private void requireIdleServers(Instant target) {
    for (ServerSnapshot server : Inspector.create(redis.own()).servers()) {
      if (!server.workers().isEmpty()) {
        throw new IllegalStateException(
            "the clock cannot be moved to %s while server %s runs task %s, whose lease would expire: wait until the task has ended, or process tasks with drain()"
                .formatted(target, server.id(), server.workers().get(0).taskId()));
      }
    }
  }

  /** Does what is due now. */
  public void catchUp() {
    Broker broker = redis.broker();
    ServerConfig rules = config.get();
    for (QueueName queue : redis.raw().queues()) {
      repeat(() -> broker.upkeep().forward(queue, MOST).moved());
      repeat(() -> recover(queue, rules));
      repeat(() -> broker.aggregation().reclaimStale(queue));
      repeat(() -> broker.upkeep().expire(queue, MOST));
      repeat(() -> broker.upkeep().trim(queue, MOST, rules.archive()));
      repeat(() -> broker.aggregation().sweep(queue, MOST));
    }
    schedulers.forEach(TimeMachine::step);
  }

  private int recover(QueueName queue, ServerConfig rules) {
    List<Recovered> recovered =
        redis
            .broker()
            .upkeep()
            .recover(queue, MOST, rules.crash(), rules.rulesOf(queue), rules.archive());
    for (Recovered task : recovered) {
      String action = task.recovery().name().toLowerCase(Locale.ROOT);
      rules.listeners().publish(listener -> listener.recovered(queue, task.id(), action));
    }
    return recovered.size();
  }

  private static void repeat(Supplier<Integer> step) {
    while (step.get() == MOST) {
      // More may be due.
    }
  }

  private static Optional<Instant> step(Scheduler scheduler) {
    try {
      return SchedulerLifecycle.of(scheduler).step();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while schedule entries were fired", e);
    }
  }

  private Optional<Instant> due(QueueName queue) {
    Forwarded forwarded = redis.broker().upkeep().forward(queue, MOST);
    return Optional.ofNullable(forwarded.nextDue());
  }

  private Optional<Instant> nextEvent(Instant latest) {
    return nextEvent().filter(event -> !event.isAfter(latest));
  }

  /** Returns when a task is due, a lease ends, a group is ready or an entry fires next. */
  public Optional<Instant> nextEvent() {
    Instant now = redis.now();
    Stream<Instant> ofQueues =
        redis.raw().queues().stream()
            .flatMap(
                queue ->
                    Stream.of(due(queue).stream(), leaseEnd(queue).stream(), groupsReady(queue))
                        .flatMap(events -> events));
    Stream<Instant> ofEntries = schedulers.stream().flatMap(each -> step(each).stream());
    return Stream.concat(ofQueues, ofEntries)
        .filter(event -> event.isAfter(now))
        .min(Instant::compareTo);
  }

  /** Returns when the groups of a queue are aggregated if nothing joins them. */
  private Stream<Instant> groupsReady(QueueName queue) {
    GroupConfig groups = config.get().groups();
    if (groups == null) {
      return Stream.empty();
    }
    Duration grace = groups.rules().grace();
    Duration maxDelay = groups.rules().maxDelay();
    return redis.broker().aggregation().groups(queue).stream()
        .map(group -> "asynq:{" + queue + "}:g:" + group)
        .flatMap(
            key -> {
              Stream<Instant> quiet = second(redis.raw().highestScore(key)).map(t -> t.plus(grace));
              Stream<Instant> overdue =
                  second(redis.raw().lowestScore(key)).map(t -> t.plus(maxDelay));
              return maxDelay.isZero() ? quiet : Stream.concat(quiet, overdue);
            });
  }

  private static Stream<Instant> second(Optional<Double> score) {
    return score.stream().map(seconds -> Instant.ofEpochSecond(seconds.longValue()));
  }

  /** Leases of Go workers, whole numbers, get a grace period. */
  private Optional<Instant> leaseEnd(QueueName queue) {
    Duration grace = config.get().crash().goGrace();
    return redis
        .raw()
        .lowestScore("asynq:{" + queue + "}:lease")
        .map(
            score -> {
              Instant end = Instant.ofEpochSecond((long) Math.ceil(score));
              return score % 1 == 0 ? end.plus(grace) : end;
            });
  }
}
