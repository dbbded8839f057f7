package io.asynq4j.internal.server.settle;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.text.SafeLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The waiting settlements of one queue, and the calls that take them in batches. Thread-safe. */
final class QueueSettlements implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(SettlementBuffer.class);

  /**
   * Maximum number of concurrent calls for one queue while many settlements wait: with a high
   * latency, one at a time is too slow. With fewer settlements, a second call only delays claims.
   */
  private static final int MOST_CALLS = 2;

  private static final int MANY = 400;

  /** Number of yields before the first call, so that handlers that are about to end can do so. */
  private static final int YIELDS = 2;

  private final QueueName queue;
  private final SettlementContext context;
  private final AtomicInteger waiting;
  private final BatchSettler settler;
  private final ConcurrentLinkedQueue<PendingSettlement> entries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();

  /**
   * @param waiting number of unsettled attempts of all queues
   */
  QueueSettlements(
      QueueName queue, SettlementContext context, AtomicInteger waiting, BatchSettler settler) {
    this.queue = queue;
    this.context = context;
    this.waiting = waiting;
    this.settler = settler;
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

  /** Settles a batch that does not wait here, on the calling thread. */
  void settle(List<PendingSettlement> batch) {
    settler.settle(batch);
  }

  boolean isRefused() {
    return settler.isRefused();
  }

  void catchUp() {
    if (calls.get() == 0 && !entries.isEmpty()) {
      start();
    }
  }

  /** If no thread is available, the entries are settled after the next addition or check. */
  private void start() {
    int running = calls.get();
    if ((running == 0 || (running < MOST_CALLS && size.get() >= MANY))
        && calls.compareAndSet(running, running + 1)) {
      try {
        context.threads().execute(context.shards().of(queue), this);
      } catch (RejectedExecutionException e) {
        // The server was stopped, possibly by a listener of this outcome: no other thread settles.
        run();
      } catch (RuntimeException | Error e) {
        calls.decrementAndGet();
        SafeLog.error(log, "could not start to settle tasks; retrying", e);
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
      SafeLog.error(log, "settling tasks failed; retrying", e);
      return;
    } finally {
      calls.decrementAndGet();
    }
    // Entries may have been added after the last check, while this call still counted.
    if (!entries.isEmpty()) {
      start();
    }
  }

  /**
   * Takes as many entries as one call supports, all of the kind of the first. If one of several
   * calls failed, they could not be repeated without taking a settled task for a lost one.
   */
  private synchronized List<PendingSettlement> next() {
    PendingSettlement first = entries.peek();
    int most = first == null ? 0 : first.applied().settlement().mostInACall();
    // The list must not grow: a lack of memory would lose the entries in it. The size may be behind
    // the entries; the remaining ones follow in the next batch.
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
