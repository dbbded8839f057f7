package io.asynq4j.internal.server.attempt;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.outcome.DeadlineExceededException;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** One execution of a task, from its claim until its outcome is passed on. Thread-safe. */
public final class Attempt implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Attempt.class);

  private static final Duration BRIEF = Duration.ofSeconds(1);
  private static final Duration STUCK_REMINDER = Duration.ofMinutes(1);

  private final long number;
  private final Claim claim;
  private final Task task;
  private final TaskRef ref;
  private final boolean brief;
  private final AttemptHost host;
  private final HandlerCall call;
  private final AttemptContext context;
  private final AttemptDecision decision;
  private volatile boolean pastGrace;
  private long lastStuckNanos;

  public Attempt(long number, Claim claim, AttemptHost host) {
    TaskMessage message = claim.message();
    this.number = number;
    this.claim = claim;
    this.task = Task.of(message.type(), message.payload(), message.headers());
    Instant now = host.clock().instant();
    this.ref =
        new TaskRef(
            message.id(),
            message.queue(),
            task,
            message.retried(),
            message.maxRetry(),
            waited(claim.pendingSince(), now));
    Instant deadline = host.config().endOfAttempt(message.type(), now, message.endOfAttempt(now));
    this.brief = deadline.isBefore(now.plus(BRIEF));
    this.host = host;
    this.call = new HandlerCall(message.id());
    this.context = new AttemptContext(this, call, host, deadline, now);
    this.decision = new AttemptDecision(this, call, host);
  }

  private static @Nullable Duration waited(@Nullable Instant since, Instant now) {
    if (since == null) {
      return null;
    }
    return since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
  }

  @Override
  public void run() {
    Outcome outcome = null;
    Throwable error = null;
    try {
      callStarts();
      if (call.cancelReason() == null && !decision.isTaken()) {
        if (context.timeLeft().isZero()) {
          error = new DeadlineExceededException();
        } else {
          host.events().started(ref);
          outcome = host.handler().handle(task, context);
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
      MDC.remove(TaskContext.MdcKeys.TASK_ID);
      MDC.remove(TaskContext.MdcKeys.TASK_TYPE);
      MDC.remove(TaskContext.MdcKeys.QUEUE);
    }
  }

  private void callStarts() {
    call.start();
    MDC.put(TaskContext.MdcKeys.TASK_ID, id());
    MDC.put(TaskContext.MdcKeys.TASK_TYPE, type());
    MDC.put(TaskContext.MdcKeys.QUEUE, queue().value());
  }

  private void reportReturned() {
    try {
      host.sink().returned(this);
    } catch (RuntimeException | Error e) {
      report("could not unregister a returned handler", e);
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

  /** Returns whether its deadline is within a second of its claim. */
  boolean isBrief() {
    return brief;
  }

  /** Checks the deadline, and whether the handler is stuck. To be called periodically. */
  public void check(long nanos) {
    decision.catchUp();
    if (call.isReturned()) {
      return;
    }
    if (call.cancelReason() == null && context.isOver(nanos)) {
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
  }

  private void reportStuck(CancelReason reason, Duration since) {
    log.warn(
        "the handler of {} was cancelled ({}) and still runs after {} s; it occupies a worker",
        label(),
        reason,
        since.toSeconds());
    host.events().stuck(ref, reason, since);
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
    decision.overdue();
  }

  /** Records that the lease is lost, so that no decision has an effect any more. */
  public void leaseLost() {
    if (decision.lose()) {
      log.warn("lost the lease of {}; its outcome has no effect", label());
      host.events().leaseLost(ref);
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
    decision.requeue();
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

  public Task task() {
    return task;
  }

  public TaskRef ref() {
    return ref;
  }

  public String id() {
    return claim.id();
  }

  public QueueName queue() {
    return claim.queue();
  }

  public String type() {
    return task.type();
  }

  /** Returns a description for log lines. */
  public String label() {
    return "task %s (%s, queue %s)".formatted(LogText.name(id()), LogText.name(type()), queue());
  }

  public Instant deadline() {
    return context.deadline();
  }

  TaskContext context() {
    return context;
  }

  public Duration sinceEnded() {
    return decision.sinceEnded();
  }

  /** Returns when the handler was called, by the clock of Redis. */
  public Instant startedAt() {
    return host.clock().instant().minusNanos(System.nanoTime() - call.startedNanos());
  }
}
