package io.asynq4j.internal.server.attempt;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.server.config.EffectiveQueueLimits;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles tasks whose handlers were cancelled and have not returned, without waiting for them.
 * Excludes queues with limits, where another task would start while the handler still runs.
 * Thread-safe.
 */
public final class OverdueAttemptSettler {

  private static final Logger log = LoggerFactory.getLogger(OverdueAttemptSettler.class);

  private static final String NOT_CHECKED = SafeLog.text("could not check overdue tasks; retrying");
  private static final String NOT_SETTLED =
      SafeLog.text("could not settle overdue tasks; retrying");

  /** Interval of the checks: each calls Redis, also for handlers that stay stuck for hours. */
  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AttemptRegistry attempts;
  private final EffectiveQueueLimits limits;
  private final ShardedRunner settling;
  private final ShardTopology shards;
  private volatile Map<QueueName, List<Attempt>> overdue = Map.of();
  private final Executor threads;
  private final AtomicBoolean checking = new AtomicBoolean();
  private volatile long notBefore = System.nanoTime();

  /**
   * @param threads call Redis for the limits, so that the caller of {@link #review} does not wait
   */
  public OverdueAttemptSettler(
      AttemptRegistry attempts,
      EffectiveQueueLimits limits,
      ShardTopology shards,
      Executor threads) {
    this.attempts = attempts;
    this.limits = limits;
    this.shards = shards;
    this.settling =
        new ShardedRunner(
            "settlement of overdue tasks",
            shards,
            Duration.ofNanos(CHECK_NANOS),
            ShardedRunner.calling(this::settle));
    this.threads = threads;
  }

  /** Starts a check unless one is running. Returns at once. */
  public void review() {
    if (System.nanoTime() - notBefore < 0
        || attempts.all().stream().noneMatch(Attempt::isOverdue)
        || !checking.compareAndSet(false, true)) {
      return;
    }
    try {
      notBefore = System.nanoTime() + CHECK_NANOS;
      threads.execute(this::settleAll);
    } catch (RejectedExecutionException e) {
      checking.set(false);
      log.debug("the server has stopped; overdue tasks wait until their leases expire");
    } catch (RuntimeException | Error e) {
      checking.set(false);
      SafeLog.error(log, NOT_CHECKED, e);
    }
  }

  private void settleAll() {
    try {
      overdue = attempts.byQueue(Attempt::isOverdue);
      settling.each(overdue.keySet());
    } catch (BrokerException e) {
      if (!shards.outages().failed("", e)) {
        log.warn("could not read the limits of a queue with overdue tasks; retrying", e);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_SETTLED, e);
    } finally {
      checking.set(false);
    }
  }

  private void settle(QueueName queue) {
    if (!limits.apply(queue)) {
      overdue.getOrDefault(queue, List.of()).forEach(Attempt::settleWithoutHandler);
    }
  }
}
