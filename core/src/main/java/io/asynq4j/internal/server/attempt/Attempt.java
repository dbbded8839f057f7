package io.asynq4j.internal.server.attempt;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.outcome.DeadlineExceededException;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One execution of a task, from its claim until its outcome is passed on. Its handler gets it as
 * the context. Thread-safe.
 */
public final class Attempt implements Runnable, TaskContext {

  private static final Logger log = LoggerFactory.getLogger(Attempt.class);

  private static final String NOT_REMOVED = SafeLog.text("could not unregister a returned handler");
  private static final String NOT_CHECKED = SafeLog.text("could not check an attempt; retrying");

  private static final Duration BRIEF = Duration.ofSeconds(1);
  private static final Duration STUCK_REMINDER = Duration.ofMinutes(1);

  private final long number;
  private final Claim claim;
  private final TaskRef ref;
  private final Instant deadline;
  private final long deadlineNanos;
  private final AttemptHost host;
  private final HandlerCall call;
  private final AttemptDecision decision;
  private volatile boolean pastGrace;
  private long lastStuckNanos;

  public Attempt(long number, Claim claim, AttemptHost host) {
    TaskMessage message = claim.message();
    this.number = number;
    this.claim = claim;
    Instant now = host.clock().instant();
    this.ref =
        TaskRef.of(
            message.id(),
            message.queue(),
            message.task(),
            message.retried(),
            message.maxRetry(),
            waited(claim.pendingSince(), now));
    this.deadline = host.config().endOfAttempt(message.type(), now, message.endOfAttempt(now));
    // By the monotonic timer: a clock step must not time out a handler and use up a retry.
    this.deadlineNanos = System.nanoTime() + TimeMath.nanosUntil(deadline, now);
    this.host = host;
    this.call = new HandlerCall(message.id());
    this.decision = new AttemptDecision(this, call, host);
  }

  private static @Nullable Duration waited(@Nullable Instant since, Instant now) {
    return since == null ? null : TimeMath.max(Duration.ZERO, Duration.between(since, now));
  }

  @Override
  public void run() {
    Outcome outcome = null;
    Throwable error = null;
    try {
      call.start();
      MDC.put(MdcKeys.TASK_ID, id());
      MDC.put(MdcKeys.TASK_TYPE, type());
      MDC.put(MdcKeys.QUEUE, queue().value());
      if (call.cancelReason() == null && !decision.isTaken()) {
        if (timeLeft().isZero()) {
          error = new DeadlineExceededException();
        } else {
          host.config().listeners().publish(listener -> listener.started(ref));
          outcome = host.handler().handle(ref.task(), this);
        }
      }
    } catch (Throwable e) {
      // Also errors: a stack overflow or a missing class in a handler must not end the worker.
      error = e;
    } finally {
      call.end();
      // An interrupt of this attempt must not affect the next one on this thread.
      Thread.interrupted();
      decision.handled(outcome, error);
      reportReturned();
      MDC.remove(MdcKeys.TASK_ID);
      MDC.remove(MdcKeys.TASK_TYPE);
      MDC.remove(MdcKeys.QUEUE);
    }
  }

  private void reportReturned() {
    try {
      host.returned().accept(this);
    } catch (RuntimeException | Error e) {
      report(NOT_REMOVED, e);
    }
  }

  /** Logs an internal error. Never throws. */
  void report(String what, Throwable error) {
    try {
      log.error("{}: {}", what, label(), error);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, what, error);
    }
  }

  /** Cancels the handler. Only the first reason counts. */
  public void cancel(CancelReason reason) {
    call.cancel(reason);
  }

  /** Cancels the handler on request. */
  public void cancel(AfterCancel after) {
    call.cancel(after);
  }

  /** Returns whether its deadline is within a second. */
  boolean isBrief() {
    return deadlineNanos - System.nanoTime() < BRIEF.toNanos();
  }

  /**
   * Checks the deadline, and whether the handler is stuck. To be called periodically. Never throws.
   */
  public void check(long nanos) {
    try {
      decision.catchUp();
      if (call.isReturned()) {
        return;
      }
      if (call.cancelReason() == null && nanos - deadlineNanos >= 0) {
        cancel(CancelReason.DEADLINE);
      }
      CancelReason reason = call.cancelReason();
      long sinceCancelled = nanos - call.cancelledNanos();
      if (reason == null || sinceCancelled < host.config().cancelGrace().toNanos()) {
        return;
      }
      pastGrace = true;
      if (lastStuckNanos == 0 || nanos - lastStuckNanos > STUCK_REMINDER.toNanos()) {
        lastStuckNanos = nanos;
        reportStuck(reason, Duration.ofNanos(sinceCancelled));
      }
    } catch (RuntimeException | Error e) {
      report(NOT_CHECKED, e);
    }
  }

  private void reportStuck(CancelReason reason, Duration since) {
    log.warn(
        "the handler of {} was cancelled ({}) and still runs after {} s; it occupies a worker",
        label(),
        reason,
        since.toSeconds());
    host.config().listeners().publish(listener -> listener.stuck(ref, reason, since));
  }

  /** Returns whether the handler was cancelled and the grace period has passed. */
  boolean isPastGrace() {
    return pastGrace;
  }

  /** Returns whether the cancelled handler still runs and the attempt is undecided. */
  boolean isOverdue() {
    return pastGrace && !call.isReturned() && !decision.isTaken();
  }

  void settleWithoutHandler() {
    decision.decide(AttemptDecision.Decider.OVERDUE);
  }

  /** Records that the lease is lost, so that no decision has an effect any more. */
  public void leaseLost() {
    if (decision.lose()) {
      log.warn("lost the lease of {}; its outcome has no effect", label());
      host.config().listeners().publish(listener -> listener.leaseLost(ref));
      if (call.isReturned()) {
        reportReturned();
      }
    }
    cancel(CancelReason.LEASE_LOST);
  }

  /** Abandons an attempt that the caller requeues. Returns false if it was already decided. */
  public boolean abandon() {
    boolean first = decision.abandon();
    cancel(CancelReason.SHUTDOWN);
    return first;
  }

  /** Requeues the task without calling its handler. */
  public void requeue() {
    decision.decide(AttemptDecision.Decider.REQUEUE);
  }

  /** Returns the thread of the handler; null if it does not run. */
  public @Nullable Thread thread() {
    return call.thread();
  }

  public boolean isRunning() {
    return call.isRunning();
  }

  /** Returns whether the lease was lost before the decision: such an attempt is never settled. */
  boolean isLost() {
    return decision.isLost();
  }

  public boolean isDecided() {
    return decision.isTaken();
  }

  /** Returns whether another thread has decided, but the outcome has not been passed on yet. */
  public boolean isBeingDecided() {
    return decision.isBeingPassedOn();
  }

  public long number() {
    return number;
  }

  public Claim claim() {
    return claim;
  }

  public TaskRef ref() {
    return ref;
  }

  @Override
  public String id() {
    return claim.id();
  }

  @Override
  public QueueName queue() {
    return claim.queue();
  }

  @Override
  public String type() {
    return ref.task().type();
  }

  @Override
  public PayloadCodec codec() {
    return host.config().codec();
  }

  @Override
  public int retryCount() {
    return ref.retried();
  }

  @Override
  public int maxRetry() {
    return ref.maxRetry();
  }

  @Override
  public Map<String, String> headers() {
    return ref.task().headers();
  }

  @Override
  public Instant deadline() {
    return deadline;
  }

  @Override
  public Duration timeLeft() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  @Override
  public Optional<CancelReason> cancelled() {
    return Optional.ofNullable(call.cancelReason());
  }

  @Override
  public void onCancel(Runnable action) {
    call.onCancel(action);
  }

  @Override
  public void writeResult(@Nullable Object result) {
    Payload payload = host.policy().intermediateResult(claim, result);
    if (isDecided() || !host.reports().writeResult(this, payload)) {
      throw new IllegalStateException(
          "the result of task %s was not written: its lease is lost, or the attempt has ended"
              .formatted(id()));
    }
  }

  @Override
  public void progress(int percent, String note) {
    Progress progress = new Progress(percent, note);
    if (!isDecided()) {
      host.reports().progress(this, progress);
    }
  }

  /** Returns a description for log lines. */
  public String label() {
    return "task %s (%s, queue %s)".formatted(LogText.name(id()), LogText.name(type()), queue());
  }

  public Duration sinceEnded() {
    return decision.sinceEnded();
  }

  /** Returns when the handler was called, by the clock of Redis. */
  public Instant startedAt() {
    return host.clock().instant().minusNanos(System.nanoTime() - call.startedNanos());
  }
}
