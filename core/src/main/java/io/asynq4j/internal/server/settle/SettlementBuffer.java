package io.asynq4j.internal.server.settle;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.text.SafeLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles attempts in batches. For each queue one call is in flight, or two while very many
 * settlements wait, and the next call takes all that have accumulated. So a single settlement is
 * sent at once, and under load the batches grow by themselves. A settlement is repeated until Redis
 * has answered it. Thread-safe.
 */
public final class SettlementBuffer {

  private static final Logger log = LoggerFactory.getLogger(SettlementBuffer.class);

  private static final String NOT_SETTLED = SafeLog.text("settling tasks failed; retrying");

  private static final String NOT_STARTED =
      SafeLog.text("could not start to settle tasks; retrying");

  /**
   * Maximum number of concurrent calls for one queue while many settlements wait: with a high
   * latency, one at a time is too slow. With fewer settlements, a second call only delays claims.
   */
  private static final int MOST_CALLS = 2;

  private static final int MANY = 400;

  /** Number of yields before the first call, so that handlers that are about to end can do so. */
  private static final int YIELDS = 2;

  private final SettlementContext context;
  private final Map<QueueName, QueueSettlements> byQueue = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean givenUp;

  public SettlementBuffer(SettlementContext context) {
    this.context = context;
  }

  /** Settles an attempt. If this throws, nothing has changed. */
  public void add(Attempt attempt, AppliedOutcome applied) {
    of(attempt.queue()).add(new PendingSettlement(attempt, applied));
  }

  /** Settles a task that was claimed and not attempted. If this throws, nothing has changed. */
  public void addUnattempted(AppliedOutcome applied) {
    of(applied.settlement().claim().queue()).add(new PendingSettlement(null, applied));
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

  /** Requeues tasks of one queue that were not attempted, as {@link #requeue}. */
  public void requeueUnattempted(List<Claim> claims) {
    if (!claims.isEmpty()) {
      settleTogether(
          claims.get(0).queue(),
          claims.stream()
              .map(claim -> new PendingSettlement(null, OutcomePolicy.requeued(claim)))
              .toList());
    }
  }

  private void settleTogether(QueueName queue, List<PendingSettlement> entries) {
    BatchSettler settler = of(queue).settler;
    Runnable settling = () -> settler.settle(entries);
    waiting.addAndGet(entries.size());
    try {
      settler.execute(settling);
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
    byQueue.values().forEach(QueueSettlements::startIfIdle);
    context.threads().catchUp();
  }

  /** Returns the number of decided attempts that are not settled. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns whether Redis refuses the settlements of a queue: for memory, disk or permissions. */
  public boolean isRefused(QueueName queue) {
    QueueSettlements ofQueue = byQueue.get(queue);
    return ofQueue != null && ofQueue.settler.isRefused();
  }

  /** Stops repeating settlements that Redis does not respond. */
  public void giveUp() {
    givenUp = true;
  }

  private QueueSettlements of(QueueName queue) {
    return byQueue.computeIfAbsent(queue, QueueSettlements::new);
  }

  /** The waiting settlements of one queue, and the calls that take them in batches. */
  private final class QueueSettlements implements Runnable {
    private final BatchSettler settler;
    private final ConcurrentLinkedQueue<PendingSettlement> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    QueueSettlements(QueueName queue) {
      this.settler = new BatchSettler(queue, context, waiting, () -> givenUp);
    }

    void add(PendingSettlement entry) {
      waiting.incrementAndGet();
      try {
        entries.add(entry);
      } catch (RuntimeException | Error e) {
        waiting.decrementAndGet();
        throw e;
      }
      size.incrementAndGet();
      start();
    }

    /** A second call is left to the next addition. */
    void startIfIdle() {
      if (calls.get() == 0) {
        start();
      }
    }

    /** If no thread is available, the entries are settled after the next addition or check. */
    void start() {
      int running = calls.get();
      if ((running == 0 ? !entries.isEmpty() : running < MOST_CALLS && size.get() >= MANY)
          && calls.compareAndSet(running, running + 1)) {
        try {
          settler.execute(this);
        } catch (RejectedExecutionException e) {
          // The server was stopped, possibly by a listener of this outcome: no other thread
          // settles.
          run();
        } catch (RuntimeException | Error e) {
          calls.decrementAndGet();
          SafeLog.error(log, NOT_STARTED, e);
        }
      }
    }

    // Correctness does not depend on the yields: without them the first call is smaller.
    @SuppressWarnings("ThreadPriorityCheck")
    @Override
    public void run() {
      for (int i = 0; i < YIELDS; i++) {
        Thread.yield();
      }
      try {
        for (List<PendingSettlement> batch = next(); !batch.isEmpty(); batch = next()) {
          settler.settle(batch);
        }
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_SETTLED, e);
        return;
      } finally {
        calls.decrementAndGet();
      }
      // Entries may have been added after the last check, while this call still counted.
      start();
    }

    /**
     * Takes as many entries as one call supports, all of the kind of the first. If one of several
     * calls failed, they could not be repeated without taking a settled task for a lost one.
     */
    private synchronized List<PendingSettlement> next() {
      PendingSettlement first = entries.peek();
      int most = first == null ? 0 : first.applied().settlement().mostInACall();
      // The list must not grow: a lack of memory would lose the entries in it. The size may be
      // behind the entries; the remaining ones follow in the next batch.
      int room = Math.min(most, Math.max(size.get(), 1));
      List<PendingSettlement> batch = new ArrayList<>(room);
      long bytes = 0;
      for (PendingSettlement entry = first;
          entry != null && batch.size() < room && entry.isLike(first);
          entry = entries.peek()) {
        bytes += entry.applied().settlement().size();
        if (!batch.isEmpty() && bytes > Settlement.MOST_BYTES) {
          break;
        }
        batch.add(entry);
        entries.remove();
      }
      size.addAndGet(-batch.size());
      return batch;
    }
  }
}
