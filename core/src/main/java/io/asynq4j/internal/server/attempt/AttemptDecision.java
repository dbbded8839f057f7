package io.asynq4j.internal.server.attempt;

import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The decision about an attempt, made once: by its handler, a timeout, a lost lease or a shutdown,
 * whichever is first. Reports the outcome and passes it on for settlement. Thread-safe.
 */
final class AttemptDecision {

  /** What decides. An enum, since recording it must not fail for lack of memory. */
  enum Decider {
    /** The handler returned or threw. */
    HANDLER,
    /** The handler was cancelled and has not returned. */
    OVERDUE,
    /** The handler was never called. */
    REQUEUE,
    /** The lease was lost: nothing is settled. */
    LEASE_LOSS,
    /** The server stops, and requeues the task itself. */
    SHUTDOWN
  }

  private static final String NOT_PASSED_ON = SafeLog.text("could not settle an attempt; retrying");

  private final Attempt attempt;
  private final HandlerCall call;
  private final AttemptHost host;

  /** Null until it is decided. */
  private final AtomicReference<@Nullable Decider> decider = new AtomicReference<>();

  private @Nullable Outcome outcome;
  private @Nullable Throwable error;
  private volatile @Nullable Thread decidingThread;
  private volatile @Nullable AppliedOutcome applied;
  private volatile boolean passedOn;
  private volatile boolean passOnFailed;
  private volatile long endedNanos;

  AttemptDecision(Attempt attempt, HandlerCall call, AttemptHost host) {
    this.attempt = attempt;
    this.call = call;
    this.host = host;
  }

  /** Decides by the result of the handler. */
  void handled(@Nullable Outcome returned, @Nullable Throwable thrown) {
    outcome = returned;
    error = thrown;
    decide(Decider.HANDLER);
  }

  /** Records a lost lease: nothing is settled. Returns false if it was already decided. */
  boolean lose() {
    return decider.compareAndSet(null, Decider.LEASE_LOSS);
  }

  /** Leaves the requeueing to the caller. Returns false if it was already decided. */
  boolean abandon() {
    boolean first = decider.compareAndSet(null, Decider.SHUTDOWN);
    if (first) {
      endedNanos = System.nanoTime();
      reportFinished(Outcome.requeue(), null);
    }
    return first;
  }

  /** Does nothing if it was already decided. */
  void decide(Decider by) {
    if (decider.compareAndSet(null, by)) {
      passOn();
    }
  }

  /** Repeats passing on the outcome if an error has prevented it. */
  void catchUp() {
    if (passOnFailed) {
      passOn();
    }
  }

  /**
   * Reports the outcome and passes it on for settlement. Nothing else can settle the attempt any
   * more, so after an error, such as a lack of memory, this is repeated by the next check.
   */
  private void passOn() {
    decidingThread = Thread.currentThread();
    passOnFailed = false;
    try {
      AppliedOutcome result = applied;
      if (result == null) {
        result = decided();
        endedNanos = System.nanoTime();
        applied = result;
        reportFinished(result.outcome(), result.error());
        host.failures().finished(attempt.ref(), result);
      }
      host.settler().accept(attempt, result);
      passedOn = true;
    } catch (RuntimeException | Error e) {
      passOnFailed = true;
      attempt.report(NOT_PASSED_ON, e);
    }
  }

  private AppliedOutcome decided() {
    try {
      return switch (Objects.requireNonNull(decider.get())) {
        case HANDLER -> byHandler();
        case OVERDUE -> stopped(Objects.requireNonNull(call.cancelReason()), null);
        case REQUEUE, LEASE_LOSS, SHUTDOWN -> OutcomePolicy.requeued(attempt.claim());
      };
    } catch (RuntimeException | Error e) {
      attempt.report("could not apply the configured rules to an attempt; the defaults apply", e);
      return host.policy().undecided(attempt.claim(), e);
    }
  }

  private AppliedOutcome byHandler() {
    CancelReason reason = call.cancelReason();
    if (reason != null && (attempt.isPastGrace() || outcome == null)) {
      return stopped(reason, error);
    }
    return host.policy().apply(attempt.claim(), outcome, error);
  }

  private AppliedOutcome stopped(CancelReason reason, @Nullable Throwable thrown) {
    return host.policy().stopped(attempt.claim(), reason, call.afterCancel(), thrown);
  }

  private void reportFinished(Outcome settled, @Nullable Throwable reason) {
    Duration ran = Duration.ofNanos(call.isStarted() ? endedNanos - call.startedNanos() : 0);
    host.config()
        .listeners()
        .publish(listener -> listener.finished(attempt.ref(), settled, reason, ran));
  }

  boolean isTaken() {
    return decider.get() != null;
  }

  /**
   * Returns whether another thread has decided and not yet passed on the outcome. Excludes the
   * calling thread: a listener of the outcome may stop the server, and must not wait for itself.
   */
  boolean isBeingPassedOn() {
    Decider by = decider.get();
    boolean settles = by != null && by != Decider.LEASE_LOSS && by != Decider.SHUTDOWN;
    return settles && !passedOn && decidingThread != Thread.currentThread();
  }

  /** Returns whether the lease was lost before a decision: such an attempt is never settled. */
  boolean isLost() {
    return decider.get() == Decider.LEASE_LOSS;
  }

  Duration sinceEnded() {
    return Duration.ofNanos(System.nanoTime() - endedNanos);
  }
}
