package io.asynq4j.internal.server.settle;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.config.ServerListeners;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles batches of one queue: repeats each until Redis has answered, replaces settlements that
 * Redis rejects, and reports the results. Thread-safe.
 */
final class BatchSettler {

  private static final Logger log = LoggerFactory.getLogger(SettlementBuffer.class);

  private static final String NOT_REPORTED =
      SafeLog.text("could not report settled tasks to listeners");
  private static final String NOT_NOTIFIED =
      SafeLog.text("could not notify the claim loop of settled tasks; it polls");
  private static final String NO_SUBSTITUTE =
      SafeLog.text("could not start a substitute for a waiting settlement thread");
  private static final String NOT_STOPPED = SafeLog.text("could not stop the server; retrying");
  private static final String NOT_DIVIDED =
      SafeLog.text("could not settle tasks one by one; retrying");
  private static final String PROGRESS_NOT_WRITTEN =
      SafeLog.text("could not write the last progress of tasks");
  private static final String NOT_RECORDED = SafeLog.text("could not record whether Redis answers");
  private static final String NOT_UNREGISTERED =
      SafeLog.text("could not unregister an attempt; retrying");

  /** Number of rejections after which a single settlement is replaced. */
  private static final int MOST_REJECTIONS = 5;

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  private final QueueName queue;
  private final SettlementContext context;
  private final AtomicInteger waiting;
  private final BooleanSupplier givenUp;

  /** The Redis server whose threads were last asked to settle. */
  private volatile String shard = "";

  private volatile boolean refused;

  /**
   * @param waiting number of unsettled attempts of all queues
   * @param givenUp whether to stop repeating settlements
   */
  BatchSettler(
      QueueName queue, SettlementContext context, AtomicInteger waiting, BooleanSupplier givenUp) {
    this.queue = queue;
    this.context = context;
    this.waiting = waiting;
    this.givenUp = givenUp;
  }

  /** Returns whether Redis refuses the settlements: for memory, disk or permissions. */
  boolean isRefused() {
    return refused;
  }

  /** Runs a task on the threads of the Redis server that has the queue. */
  void execute(Runnable task) {
    shard = context.shards().of(queue);
    context.threads().execute(shard, task);
  }

  /**
   * Returns when Redis has answered for all of them, or the server has given up. No error may end
   * it earlier: nothing else refers to these settlements any more.
   */
  void settle(List<PendingSettlement> batch) {
    settle(batch, /* earlierInDoubt= */ false);
  }

  /**
   * @param earlierInDoubt whether an earlier call may have settled them
   */
  private void settle(List<PendingSettlement> batch, boolean earlierInDoubt) {
    List<SettleResult> answers = null;
    boolean inDoubt = earlierInDoubt;
    boolean continues = true;
    int rejections = 0;
    long pause = FIRST_PAUSE_NANOS;
    writeReports(batch);
    while (answers == null && continues) {
      BrokerRefusedException rejection = null;
      try {
        answers = settleOnce(batch);
        refused = false;
      } catch (BrokerException e) {
        inDoubt |= e.mayHaveBeenApplied();
        rejection = rejectionOf(e);
        refused = rejection == null && e instanceof BrokerRefusedException;
        if (rejection == null || rejections == 0) {
          recordFailure(batch.size(), e);
        }
      } catch (RuntimeException | Error e) {
        // It may have occurred after Redis had settled them.
        inDoubt = true;
        recordFailure(batch.size(), e);
        endServerIfFatal(e);
      }
      if (rejection != null && (batch.size() > 1 || ++rejections >= MOST_REJECTIONS)) {
        List<List<PendingSettlement>> replacements = replacements(batch, rejection);
        if (replacements != null) {
          for (int i = 0; i < replacements.size(); i++) {
            settle(replacements.get(i), inDoubt);
          }
          return;
        }
      }
      continues =
          answers != null
              || (!givenUp.getAsBoolean() && !isHopeless(batch, rejections) && rest(pause));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
    // Before listeners are called: one of them may wait for the server to stop.
    waiting.addAndGet(-batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Attempt attempt = batch.get(i).attempt();
      if (attempt != null) {
        unregister(attempt);
      }
    }
    try {
      report(batch, answers, inDoubt);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_REPORTED, e);
    }
    try {
      context.settled().accept(queue);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_NOTIFIED, e);
    }
  }

  /** Returns false if the thread is interrupted. An error does not end the wait. */
  private boolean rest(long nanos) {
    try {
      return context.threads().rest(shard, nanos);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NO_SUBSTITUTE, e);
      return InterruptibleSleep.sleepNanos(nanos);
    }
  }

  /**
   * The JVM remembers that code could not be linked, because of an incompatible library or a lack
   * of memory. A server that continued would keep the leases of tasks that it cannot settle.
   */
  private void endServerIfFatal(Throwable error) {
    if (error instanceof LinkageError e) {
      try {
        context.fatal().accept(e);
      } catch (RuntimeException | Error other) {
        SafeLog.error(log, NOT_STOPPED, other);
      }
    }
  }

  /**
   * Returns the exception if Redis would refuse these settlements forever. Refusals for memory,
   * disk or permissions may pass, and other failures do not depend on the settlements.
   */
  private static @Nullable BrokerRefusedException rejectionOf(BrokerException e) {
    return e instanceof BrokerRefusedException rejection
            && rejection.reason() == BrokerRefusedException.Reason.REQUEST
        ? rejection
        : null;
  }

  /** Returns whether Redis rejects even the quarantine of a task. Its lease then expires. */
  private static boolean isHopeless(List<PendingSettlement> batch, int rejections) {
    return rejections >= MOST_REJECTIONS
        && batch.get(0).applied().settlement() instanceof Settlement.Quarantine;
  }

  /**
   * Returns the batches that replace a rejected one: each settlement of several alone, since one of
   * them may be the reason; or the archiving of a single task, and if that is rejected too, its
   * quarantine. Null if there is no replacement, or no memory for it.
   */
  private @Nullable List<List<PendingSettlement>> replacements(
      List<PendingSettlement> batch, BrokerRefusedException rejection) {
    try {
      if (batch.size() > 1) {
        return batch.stream().map(List::of).toList();
      }
      PendingSettlement entry = batch.get(0);
      return entry.applied().settlement() instanceof Settlement.Quarantine
          ? null
          : List.of(List.of(archived(entry, rejection)));
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_DIVIDED, e);
      return null;
    }
  }

  private PendingSettlement archived(PendingSettlement entry, BrokerRefusedException rejection) {
    AppliedOutcome rejected = entry.applied();
    AppliedOutcome replacement = OutcomePolicy.unsettleable(rejected, rejection);
    Claim claim = rejected.settlement().claim();
    log.error(
        "task {} ({}, queue {}) cannot be settled as {} and is archived{}",
        LogText.name(claim.id()),
        LogText.name(claim.message().type()),
        queue,
        rejected.outcome().kind(),
        replacement.settlement() instanceof Settlement.Quarantine
            ? " with its message as it is stored"
            : "",
        rejection);
    return new PendingSettlement(entry.attempt(), replacement);
  }

  /** Writes the last progress of the handlers, which cannot be written after the settlement. */
  private void writeReports(List<PendingSettlement> batch) {
    try {
      context.reports().flush(queue, batch);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, PROGRESS_NOT_WRITTEN, e);
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
      SafeLog.error(log, NOT_RECORDED, e);
    }
    return answers;
  }

  private void recordFailure(int count, Throwable error) {
    try {
      if (!context.shards().outages().failed(context.shards().of(queue), error)) {
        if (error instanceof BrokerException) {
          log.warn("could not settle {} tasks of queue {}; retrying", count, queue, error);
        } else {
          log.error("could not settle {} tasks of queue {}; retrying", count, queue, error);
        }
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_RECORDED, e);
    }
  }

  private void unregister(Attempt attempt) {
    boolean done = false;
    while (!done) {
      try {
        context.attempts().remove(attempt);
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_UNREGISTERED, e);
        done = !InterruptibleSleep.sleepNanos(FIRST_PAUSE_NANOS);
      }
    }
  }

  /**
   * Reports to listeners.
   *
   * @param answers null if the server has given up
   * @param inDoubt whether an earlier call may have settled the tasks without an answer; a missing
   *     lease then means that the task is settled
   */
  private void report(
      List<PendingSettlement> batch, @Nullable List<SettleResult> answers, boolean inDoubt) {
    if (answers == null) {
      log.warn(
          "gave up settling {} tasks of queue {}; they are recovered when their leases expire",
          batch.size(),
          queue);
      return;
    }
    ServerListeners listeners = context.config().listeners();
    listeners.publish(listener -> listener.settledTogether(queue, batch.size()));
    for (int i = 0; i < batch.size(); i++) {
      PendingSettlement entry = batch.get(i);
      Attempt attempt = entry.attempt();
      if (attempt == null) {
        continue;
      }
      if (answers.get(i) == SettleResult.APPLIED || inDoubt) {
        Outcome outcome = entry.applied().outcome();
        Duration sinceEnded = attempt.sinceEnded();
        listeners.publish(listener -> listener.settled(attempt.ref(), outcome, sinceEnded));
      } else {
        log.warn("{} was not settled: its lease is lost", attempt.label());
        listeners.publish(listener -> listener.leaseLost(attempt.ref()));
      }
    }
  }
}
