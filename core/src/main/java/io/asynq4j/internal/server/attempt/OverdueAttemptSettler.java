package io.asynq4j.internal.server.attempt;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.server.config.EffectiveQueueLimits;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles tasks whose handlers were asked to stop and have not done so, without waiting for them.
 * Not where a queue has limits: there another task would start while the handler still runs.
 */
public final class OverdueAttemptSettler {

  private static final Logger log = LoggerFactory.getLogger(OverdueAttemptSettler.class);

  /** Between two looks: each asks Redis, also for handlers that stay stuck for hours. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AttemptRegistry attempts;
  private final EffectiveQueueLimits limits;
  private final ShardedRunner settling;
  private final ShardTopology shards;
  private volatile Map<QueueName, List<Attempt>> overdue = Map.of();
  private final Executor threads;
  private final AtomicBoolean underWay = new AtomicBoolean();
  private volatile long notBefore = System.nanoTime();

  /**
   * @param threads where Redis is asked for the limits: the caller of {@link #review} does not wait
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
            "look at overdue tasks",
            shards,
            Duration.ofNanos(LOOK_NANOS),
            ShardedRunner.calling(this::settle));
    this.threads = threads;
  }

  /** Looks for such attempts, one look at a time. Returns at once. */
  public void review() {
    if (System.nanoTime() - notBefore < 0
        || attempts.all().stream().noneMatch(Attempt::isOverdue)
        || !underWay.compareAndSet(false, true)) {
      return;
    }
    try {
      notBefore = System.nanoTime() + LOOK_NANOS;
      threads.execute(this::settleAll);
    } catch (RejectedExecutionException e) {
      underWay.set(false);
      log.debug("the server has stopped: overdue tasks wait until their leases end");
    } catch (RuntimeException | Error e) {
      underWay.set(false);
      SafeLog.error(log, "could not look at overdue tasks; that is tried again", e);
    }
  }

  private void settleAll() {
    try {
      Map<QueueName, List<Attempt>> byQueue = new HashMap<>();
      attempts.all().stream()
          .filter(Attempt::isOverdue)
          .forEach(
              attempt ->
                  byQueue.computeIfAbsent(attempt.queue(), any -> new ArrayList<>()).add(attempt));
      overdue = byQueue;
      settling.each(byQueue.keySet());
    } catch (BrokerException e) {
      if (!shards.outages().failed("", e)) {
        log.warn("could not look at the limits of a queue with overdue tasks; tried again", e);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not settle overdue tasks; that is tried again", e);
    } finally {
      underWay.set(false);
    }
  }

  private void settle(QueueName queue) {
    if (!limits.apply(queue)) {
      overdue.getOrDefault(queue, List.of()).forEach(Attempt::settleWithoutHandler);
    }
  }
}
