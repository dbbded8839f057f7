package io.asynq4j.internal.server.attempt;

import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Who decides about an attempt: the handler or whoever gives up on it, the first by one
 * compare-and-set. Reports the outcome and hands it over to be settled. Thread-safe.
 */
final class AttemptDecision {

  /** What decides. An enum, since a lack of memory must not come between it and the decision. */
  private enum Decider {
    /** What the handler returned or threw. */
    HANDLER,
    /** The handler was asked to stop and has not done so. */
    OVERDUE,
    /** The handler was never called. */
    REQUEUE
  }

  private final Attempt attempt;
  private final HandlerCall call;
  private final AttemptHost host;
  private final AtomicBoolean taken = new AtomicBoolean();

  private @Nullable Outcome outcome;
  private @Nullable Throwable error;
  private volatile @Nullable Decider decider;
  private volatile @Nullable Thread decidingThread;
  private volatile @Nullable AppliedOutcome applied;
  private volatile boolean handedOver;
  private volatile boolean handOverFailed;
  private volatile boolean lost;
  private volatile long endedNanos;

  AttemptDecision(Attempt attempt, HandlerCall call, AttemptHost host) {
    this.attempt = attempt;
    this.call = call;
    this.host = host;
  }

  /** The handler has returned or thrown. */
  void handled(@Nullable Outcome returned, @Nullable Throwable thrown) {
    outcome = returned;
    error = thrown;
    decide(Decider.HANDLER);
  }

  /** The handler was asked to stop, and is not waited for any longer. */
  void overdue() {
    decide(Decider.OVERDUE);
  }

  /** The handler was not called. */
  void requeue() {
    decide(Decider.REQUEUE);
  }

  /** The lease is lost, so nothing is settled. False when it was decided before. */
  boolean lose() {
    boolean first = taken.compareAndSet(false, true);
    if (first) {
      lost = true;
      handedOver = true;
    }
    return first;
  }

  /** The caller requeues the task by itself. False when it was decided before. */
  boolean abandon() {
    boolean first = taken.compareAndSet(false, true);
    if (first) {
      handedOver = true;
      endedNanos = System.nanoTime();
      host.events().finished(attempt.ref(), Outcome.requeue(), null, ran());
    }
    return first;
  }

  /** Nothing happens when it was decided before. */
  private void decide(Decider by) {
    if (taken.compareAndSet(false, true)) {
      decider = by;
      handOver();
    }
  }

  /** Repeats a hand-over that an error has prevented. */
  void catchUp() {
    if (handOverFailed) {
      handOver();
    }
  }

  /**
   * Reports the outcome and has it settled. Nobody else may settle the attempt any more, so when an
   * error comes in between, such as a lack of memory, this is repeated with the next check.
   */
  private void handOver() {
    decidingThread = Thread.currentThread();
    handOverFailed = false;
    try {
      AppliedOutcome result = applied;
      if (result == null) {
        result = decided();
        endedNanos = System.nanoTime();
        applied = result;
        host.events().finished(attempt.ref(), result.outcome(), result.error(), ran());
        host.failures().finished(attempt.ref(), result);
      }
      host.sink().settle(attempt, result);
      handedOver = true;
    } catch (RuntimeException | Error e) {
      attempt.report("could not end an attempt, which is tried again", e);
      handOverFailed = true;
    }
  }

  private AppliedOutcome decided() {
    try {
      return switch (Objects.requireNonNull(decider)) {
        case HANDLER -> byHandler();
        case OVERDUE -> stopped(Objects.requireNonNull(call.cancelReason()), null);
        case REQUEUE -> OutcomePolicy.requeued(attempt.claim());
      };
    } catch (RuntimeException | Error e) {
      attempt.report("could not decide about a task by the rules of its server", e);
      return host.policy().undecided(attempt.claim(), attempt.task(), e);
    }
  }

  private AppliedOutcome byHandler() {
    CancelReason reason = call.cancelReason();
    if (reason != null && (attempt.isPastGrace() || outcome == null)) {
      return stopped(reason, error);
    }
    return host.policy().apply(attempt.claim(), attempt.task(), outcome, error);
  }

  private AppliedOutcome stopped(CancelReason reason, @Nullable Throwable thrown) {
    return host.policy()
        .stopped(attempt.claim(), attempt.task(), reason, call.afterCancel(), thrown);
  }

  private Duration ran() {
    return call.isStarted() ? Duration.ofNanos(endedNanos - call.startedNanos()) : Duration.ZERO;
  }

  boolean isTaken() {
    return taken.get();
  }

  /**
   * Whether another thread has decided and not yet handed the outcome over. The calling thread is
   * not waited for: then a listener that is told of the outcome stops the server.
   */
  boolean isUnderWay() {
    return taken.get() && !handedOver && decidingThread != Thread.currentThread();
  }

  /** Whether the lease was lost first: then the attempt is never settled. */
  boolean isLost() {
    return lost;
  }

  Duration sinceEnded() {
    return Duration.ofNanos(System.nanoTime() - endedNanos);
  }
}
