package io.asynq4j.internal.server.settle;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settlements of one queue. Thread-safe. */
final class QueueSettlements implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(SettlementBuffer.class);

  /**
   * Number of concurrent calls for one queue while many settlements wait: where Redis is far away,
   * one at a time would not do. With fewer, a second call only keeps claims waiting.
   */
  private static final int MOST_CALLS = 2;

  private static final int MANY = 400;

  /** How often handlers that are about to end are let do so before the first call. */
  private static final int YIELDS = 2;

  /** How often a single settlement is refused for its own sake before it is given up. */
  private static final int MOST_REFUSALS = 5;

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  private final QueueName queue;
  private final SettlementContext context;
  private final ConcurrentLinkedQueue<PendingSettlement> entries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile String lastShard = "";
  private volatile boolean refused;

  QueueSettlements(QueueName queue, SettlementContext context) {
    this.queue = queue;
    this.context = context;
  }

  void add(PendingSettlement entry) {
    context.waiting().incrementAndGet();
    try {
      entries.add(entry);
    } catch (RuntimeException | Error e) {
      context.waiting().decrementAndGet();
      throw e;
    }
    size.incrementAndGet();
    start();
  }

  /** Whether Redis refuses the settlements, for its memory, disk or permissions. */
  boolean isRefused() {
    return refused;
  }

  void catchUp() {
    if (underWay.get() == 0 && !entries.isEmpty()) {
      start();
    }
  }

  /** When no thread takes it up, what waits is settled with the next that comes. */
  private void start() {
    int calls = underWay.get();
    if ((calls == 0 || (calls < MOST_CALLS && size.get() >= MANY))
        && underWay.compareAndSet(calls, calls + 1)) {
      try {
        context.threads().execute(context.shards().of(queue), this);
      } catch (RejectedExecutionException e) {
        // The server has stopped, perhaps by a listener of this outcome: no other thread settles.
        run();
      } catch (RuntimeException | Error e) {
        underWay.decrementAndGet();
        SafeLog.error(log, "could not begin to settle tasks; that is tried again", e);
      }
    }
  }

  // Nothing relies on the scheduler: without the yields the first call is smaller, and as right.
  @SuppressWarnings("ThreadPriorityCheck")
  @Override
  public void run() {
    for (int i = 0; i < YIELDS; i++) {
      Thread.yield();
    }
    try {
      for (List<PendingSettlement> batch = next(); !batch.isEmpty(); batch = next()) {
        settle(batch, /* earlierInDoubt= */ false);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "settling tasks failed and is tried again", e);
      return;
    } finally {
      underWay.decrementAndGet();
    }
    // What came after the last look, while this run still counted as under way.
    if (!entries.isEmpty()) {
      start();
    }
  }

  /**
   * As many as one call does together, all of the kind of the first: several calls, of which one
   * fails, could not be repeated without mistaking what is done for what is lost.
   */
  private synchronized List<PendingSettlement> next() {
    PendingSettlement first = entries.peek();
    int most = first == null ? 0 : first.applied().settlement().mostInACall();
    // It must not grow: for want of memory, what is in it already would get lost. The size may be
    // behind the entries, which then come with the next batch.
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

  /**
   * Returns when Redis has answered for all of them, or the server has given up. An error must not
   * end it before that: nobody else knows of them any more.
   *
   * @param earlierInDoubt an earlier try may have settled them
   */
  void settle(List<PendingSettlement> batch, boolean earlierInDoubt) {
    List<SettleResult> answers = null;
    boolean inDoubt = earlierInDoubt;
    String shard = shard();
    boolean goesOn = true;
    int refusals = 0;
    long pause = FIRST_PAUSE_NANOS;
    writeReports(batch);
    while (answers == null && goesOn) {
      BrokerRefusedException refusal = null;
      try {
        answers = settleOnce(batch);
        refused = false;
      } catch (BrokerException e) {
        inDoubt |= e.mayHaveBeenApplied();
        refusal = forItsOwnSake(e);
        refused = refusal == null && e instanceof BrokerRefusedException;
        if (refusal == null || refusals == 0) {
          failed(batch.size(), e);
        }
      } catch (RuntimeException | Error e) {
        // It may have come after Redis had done it.
        inDoubt = true;
        failed(batch.size(), e);
        endServerIfFatal(e);
      }
      if (refusal != null && (batch.size() > 1 || ++refusals >= MOST_REFUSALS)) {
        List<List<PendingSettlement>> instead = instead(batch, refusal);
        if (instead != null) {
          for (int i = 0; i < instead.size(); i++) {
            settle(instead.get(i), inDoubt);
          }
          return;
        }
      }
      goesOn =
          answers != null
              || (!context.isGivenUp() && !isHopeless(batch, refusals) && rest(shard, pause));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
    // Before listeners are called: one of them may wait for the server to stop.
    context.waiting().addAndGet(-batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Attempt attempt = batch.get(i).attempt();
      if (attempt != null) {
        forget(attempt);
      }
    }
    try {
      tell(batch, answers, inDoubt);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not tell of tasks that are settled", e);
    }
    try {
      context.settled().raise();
      context.settledOf().accept(queue);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not tell the processor of free places; it looks by itself", e);
    }
  }

  /** False when the thread is to end. An error is none: nobody else would settle these tasks. */
  private boolean rest(String shard, long nanos) {
    try {
      return context.threads().rest(shard, nanos);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not let another thread settle meanwhile", e);
      return InterruptibleSleep.sleepNanos(nanos);
    }
  }

  /**
   * The JVM remembers that code could not be linked, be it for a library that does not fit or for
   * want of memory. While the server lives, it would keep the leases of tasks that nobody settles.
   */
  private void endServerIfFatal(Throwable error) {
    if (error instanceof LinkageError e) {
      try {
        context.fatal().accept(e);
      } catch (RuntimeException | Error other) {
        SafeLog.error(log, "could not end the server; that is tried again", other);
      }
    }
  }

  /** Where the queue was last known to be when that cannot be said now, as during an error. */
  private String shard() {
    try {
      lastShard = context.shards().of(queue);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not find out which server has a queue", e);
    }
    return lastShard;
  }

  /**
   * What Redis would refuse for ever. It would not for its memory, disk or permissions; and any
   * other failure says nothing about what was to be settled.
   */
  private static @Nullable BrokerRefusedException forItsOwnSake(BrokerException e) {
    return e instanceof BrokerRefusedException refused
            && refused.reason() == BrokerRefusedException.Reason.REQUEST
        ? refused
        : null;
  }

  /** Not even that it is archived as it is stored is accepted: then its lease ends. */
  private static boolean isHopeless(List<PendingSettlement> batch, int refusals) {
    return refusals >= MOST_REFUSALS
        && batch.get(0).applied().settlement() instanceof Settlement.Quarantine;
  }

  /**
   * What to settle instead of a batch that is refused: each of several alone, since one of them may
   * be the reason; of a single one, that it is archived, and if that is refused too, that it is
   * archived as it is stored. Null when there is nothing else, or no memory for it.
   */
  private @Nullable List<List<PendingSettlement>> instead(
      List<PendingSettlement> batch, BrokerRefusedException refusal) {
    try {
      if (batch.size() > 1) {
        return batch.stream().map(List::of).toList();
      }
      PendingSettlement entry = batch.get(0);
      return entry.applied().settlement() instanceof Settlement.Quarantine
          ? null
          : List.of(List.of(archived(entry, refusal)));
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not settle tasks one by one; that is tried again", e);
      return null;
    }
  }

  private PendingSettlement archived(PendingSettlement entry, BrokerRefusedException refusal) {
    AppliedOutcome refused = entry.applied();
    AppliedOutcome instead = OutcomePolicy.unsettleable(refused, refusal);
    Claim claim = refused.settlement().claim();
    log.error(
        "task {} ({}, queue {}) cannot be settled as {}, and is archived{}",
        LogText.name(claim.id()),
        LogText.name(claim.message().type()),
        queue,
        refused.outcome().kind(),
        instead.settlement() instanceof Settlement.Quarantine
            ? " with its message as it is stored"
            : "",
        refusal);
    return new PendingSettlement(entry.attempt(), instead);
  }

  /** The last that handlers have reported, which nobody could write afterwards. */
  private void writeReports(List<PendingSettlement> batch) {
    try {
      List<Attempt> ended = new ArrayList<>(batch.size());
      for (PendingSettlement entry : batch) {
        if (entry.attempt() != null) {
          ended.add(entry.attempt());
        }
      }
      context.reports().flush(queue, ended);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not write the last progress of tasks", e);
    }
  }

  private List<SettleResult> settleOnce(List<PendingSettlement> batch) {
    List<Settlement> settlements =
        batch.stream().map(entry -> entry.applied().settlement()).toList();
    List<SettleResult> answers =
        context
            .source()
            .settle(
                queue, settlements, context.config().rulesOf(queue), context.config().archive());
    try {
      context.shards().outages().worked(context.shards().of(queue));
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not note that tasks are settled", e);
    }
    return answers;
  }

  private void failed(int count, Throwable error) {
    try {
      if (!context.shards().outages().failed(context.shards().of(queue), error)) {
        if (error instanceof BrokerException) {
          log.warn("could not settle {} tasks of queue {}", count, queue, error);
        } else {
          log.error("could not settle {} tasks of queue {}", count, queue, error);
        }
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not tell why tasks are not settled yet", e);
    }
  }

  private void forget(Attempt attempt) {
    boolean done = false;
    while (!done) {
      try {
        context.attempts().remove(attempt);
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "could not take an attempt off the list; that is tried again", e);
        done = !InterruptibleSleep.sleepNanos(FIRST_PAUSE_NANOS);
      }
    }
  }

  /**
   * @param answers null when the server has given up
   * @param inDoubt an earlier try may have been done without an answer; then the lease is gone
   *     because the task is settled
   */
  private void tell(
      List<PendingSettlement> batch, @Nullable List<SettleResult> answers, boolean inDoubt) {
    if (answers == null) {
      log.warn(
          "gave up on settling {} tasks of queue {}; they are recovered when their leases end",
          batch.size(),
          queue);
      return;
    }
    context.events().settledTogether(queue, batch.size());
    for (int i = 0; i < batch.size(); i++) {
      PendingSettlement entry = batch.get(i);
      if (entry.attempt() != null) {
        tell(entry.attempt(), entry.applied(), answers.get(i) == SettleResult.APPLIED || inDoubt);
      }
    }
  }

  private void tell(Attempt attempt, AppliedOutcome applied, boolean done) {
    if (done) {
      context.events().settled(attempt.ref(), applied.outcome(), attempt.sinceEnded());
    } else {
      log.warn(
          "task {} ({}, queue {}) was not settled: its lease is lost",
          LogText.name(attempt.id()),
          LogText.name(attempt.type()),
          queue);
      context.events().leaseLost(attempt.ref());
    }
  }
}
