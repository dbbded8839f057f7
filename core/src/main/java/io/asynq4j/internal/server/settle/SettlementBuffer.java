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

/**
 * Tells Redis how attempts ended, many at a time: for each queue one call is under way, or two when
 * very many wait, and the next takes all that has gathered meanwhile. So a single settlement leaves
 * at once, and under load the calls grow by themselves. A settlement is repeated until Redis has
 * answered it.
 */
public final class SettlementBuffer {

  private final SettlementContext context;
  private final Map<QueueName, QueueSettlements> byQueue = new ConcurrentHashMap<>();

  public SettlementBuffer(SettlementContext context) {
    this.context = context;
  }

  /** Settles an attempt. When this throws, nothing has happened. */
  public void add(Attempt attempt, AppliedOutcome applied) {
    add(new PendingSettlement(attempt, applied));
  }

  /** Settles a task of which no attempt could be made. When this throws, nothing has happened. */
  public void addUnattempted(AppliedOutcome applied) {
    add(new PendingSettlement(null, applied));
  }

  private void add(PendingSettlement entry) {
    of(entry.queue()).add(entry);
  }

  /**
   * Gives tasks back to the head of their queue, in one piece, so that they stand there in the
   * order in which they are given. When this throws, nothing has happened.
   */
  public void requeue(QueueName queue, List<Attempt> unfinished) {
    settleTogether(
        queue,
        unfinished.stream()
            .map(attempt -> new PendingSettlement(attempt, OutcomePolicy.requeued(attempt.claim())))
            .toList());
  }

  /** The same for tasks that nobody has begun with. */
  public void requeueUnattempted(QueueName queue, List<Claim> claims) {
    settleTogether(
        queue,
        claims.stream()
            .map(claim -> new PendingSettlement(null, OutcomePolicy.requeued(claim)))
            .toList());
  }

  private void settleTogether(QueueName queue, List<PendingSettlement> entries) {
    QueueSettlements settlements = of(queue);
    Runnable settling = () -> settlements.settle(entries, /* earlierInDoubt= */ false);
    context.waiting().addAndGet(entries.size());
    try {
      context.threads().execute(context.shards().of(queue), settling);
    } catch (RejectedExecutionException e) {
      // The server has stopped meanwhile: nobody else will do it.
      settling.run();
    } catch (RuntimeException | Error e) {
      context.waiting().addAndGet(-entries.size());
      throw e;
    }
  }

  /** Fails when there are no threads to settle tasks of this server. To be called before claims. */
  public void requireThreads(String shard) {
    context.threads().of(shard);
  }

  /**
   * Has what waits settled where an error has kept that from being begun. To be called from time to
   * time.
   */
  public void catchUp() {
    byQueue.values().forEach(QueueSettlements::catchUp);
  }

  /** How many attempts have ended and are not settled. */
  public int waiting() {
    return context.waiting().get();
  }

  /** Whether Redis refuses the settlements of a queue, for its memory, disk or permissions. */
  public boolean isRefused(QueueName queue) {
    QueueSettlements settlements = byQueue.get(queue);
    return settlements != null && settlements.isRefused();
  }

  /** Stops repeating what Redis does not answer. */
  public void giveUp() {
    context.giveUp();
  }

  private QueueSettlements of(QueueName queue) {
    return byQueue.computeIfAbsent(queue, name -> new QueueSettlements(name, context));
  }
}
