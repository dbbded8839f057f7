package io.asynq4j.internal.server.settle;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Settles attempts in batches. For each queue one call is in flight, or two while very many
 * settlements wait, and the next call takes all that have accumulated. So a single settlement is
 * sent at once, and under load the batches grow by themselves. A settlement is repeated until Redis
 * has answered it. Thread-safe.
 */
public final class SettlementBuffer {

  private final SettlementContext context;
  private final Map<QueueName, QueueSettlements> byQueue = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean givenUp;

  public SettlementBuffer(SettlementContext context) {
    this.context = context;
  }

  /** Settles an attempt. If this throws, nothing has changed. */
  public void add(Attempt attempt, AppliedOutcome applied) {
    add(new PendingSettlement(attempt, applied));
  }

  /** Settles a task that was claimed and not attempted. If this throws, nothing has changed. */
  public void addUnattempted(AppliedOutcome applied) {
    add(new PendingSettlement(null, applied));
  }

  private void add(PendingSettlement entry) {
    of(entry.queue()).add(entry);
  }

  /**
   * Requeues tasks at the head of their queue in one call, so that they keep this order. If this
   * throws, nothing has changed.
   */
  public void requeue(QueueName queue, List<Attempt> unfinished) {
    settleTogether(
        queue,
        unfinished.stream()
            .map(attempt -> new PendingSettlement(attempt, OutcomePolicy.requeued(attempt.claim())))
            .toList());
  }

  /** Requeues tasks that were not attempted, as {@link #requeue}. */
  public void requeueUnattempted(QueueName queue, List<Claim> claims) {
    settleTogether(
        queue,
        claims.stream()
            .map(claim -> new PendingSettlement(null, OutcomePolicy.requeued(claim)))
            .toList());
  }

  private void settleTogether(QueueName queue, List<PendingSettlement> entries) {
    QueueSettlements settlements = of(queue);
    Runnable settling = () -> settlements.settle(entries);
    waiting.addAndGet(entries.size());
    try {
      context.threads().execute(context.shards().of(queue), settling);
    } catch (RejectedExecutionException e) {
      // The server has stopped meanwhile: no other thread does it.
      settling.run();
    } catch (RuntimeException | Error e) {
      waiting.addAndGet(-entries.size());
      throw e;
    }
  }

  /** Fails if no thread can settle tasks of this Redis server. To be called before claims. */
  public void requireThreads(String shard) {
    context.threads().of(shard);
  }

  /** Starts settlements that an error has prevented from starting. To be called periodically. */
  public void catchUp() {
    byQueue.values().forEach(QueueSettlements::catchUp);
  }

  /** Returns the number of decided attempts that are not settled. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns whether Redis refuses the settlements of a queue: for memory, disk or permissions. */
  public boolean isRefused(QueueName queue) {
    QueueSettlements settlements = byQueue.get(queue);
    return settlements != null && settlements.isRefused();
  }

  /** Stops repeating settlements that Redis does not answer. */
  public void giveUp() {
    givenUp = true;
  }

  private QueueSettlements of(QueueName queue) {
    return byQueue.computeIfAbsent(
        queue,
        name ->
            new QueueSettlements(
                name, context, waiting, new BatchSettler(name, context, waiting, () -> givenUp)));
  }
}
