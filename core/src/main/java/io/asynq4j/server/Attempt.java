package io.asynq4j.server;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.broker.Claim;
import io.asynq4j.broker.TaskMessage;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One run of one task. Who decides how it ends, the handler or whoever gives up on it, is settled
 * by one compare-and-set.
 */
final class Attempt implements Runnable, TaskContext {

  private static final Logger log = LoggerFactory.getLogger(Attempt.class);

  private static final Duration BRIEF = Duration.ofSeconds(1);

  private final long number;
  private final Claim claim;
  private final Task task;
  private final TaskRef ref;
  private final Instant deadline;
  private final boolean brief;
  private final boolean holdsPlace;
  private final AttemptHost host;
  private final AtomicBoolean decided = new AtomicBoolean();
  private final List<Runnable> cancelActions = new ArrayList<>(0);

  private @Nullable Thread thread;
  private volatile @Nullable Thread decider;
  private volatile boolean handedOver;
  private long startedNanos;
  private volatile boolean started;
  private volatile boolean returned;
  private volatile @Nullable CancelReason cancelReason;
  private volatile AfterCancel afterCancel = AfterCancel.RETRY;
  private volatile long cancelledNanos;
  private volatile long endedNanos;
  private volatile boolean overdue;
  private volatile boolean lost;
  private long lastStuckNanos;

  /**
   * @param holdsPlace whether the queue counts its running tasks: then the lease is kept until the
   *     handler has really returned
   */
  Attempt(long number, Claim claim, boolean holdsPlace, AttemptHost host) {
    TaskMessage message = claim.message();
    this.number = number;
    this.claim = claim;
    this.task = new Task(message.type(), message.payload(), message.headers());
    Instant now = host.clock().instant();
    this.ref =
        new TaskRef(
            message.id(),
            message.queue(),
            task,
            message.retried(),
            message.maxRetry(),
            waited(claim.pendingSince(), now));
    this.deadline = host.config().endOfAttempt(message.type(), now, message.endOfAttempt(now));
    this.brief = deadline.isBefore(now.plus(BRIEF));
    this.holdsPlace = holdsPlace;
    this.host = host;
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
    synchronized (this) {
      thread = Thread.currentThread();
      startedNanos = System.nanoTime();
      started = true;
    }
    MDC.put("taskId", id());
    MDC.put("taskType", type());
    MDC.put("queue", queue().value());
    try {
      if (cancelReason == null && !decided.get()) {
        if (timeLeft().isZero()) {
          error = new DeadlineExceededException();
        } else {
          host.events().started(ref);
          outcome = host.handler().handle(task, this);
        }
      }
    } catch (Throwable e) {
      // Also errors: a handler that runs out of stack or misses a class must not end the worker.
      error = e;
    } finally {
      synchronized (this) {
        thread = null;
        returned = true;
      }
      // An interrupt that came for this task must not reach the next one on this thread.
      Thread.interrupted();
      try {
        ended(outcome, error);
      } catch (RuntimeException | Error e) {
        log.error("could not end the attempt at task {} of queue {}", id(), queue(), e);
      }
      host.forget(this);
      MDC.remove("taskId");
      MDC.remove("taskType");
      MDC.remove("queue");
    }
  }

  private void ended(@Nullable Outcome outcome, @Nullable Throwable error) {
    if (decided.compareAndSet(false, true)) {
      decide(() -> ending(outcome, error));
    }
  }

  private Ended ending(@Nullable Outcome outcome, @Nullable Throwable error) {
    CancelReason reason = cancelReason;
    if (reason != null && (overdue || outcome == null)) {
      return host.endings().stopped(this, reason, error);
    } else if (error == null && outcome == null) {
      return host.endings()
          .failed(this, new NullPointerException("the handler returned no outcome"), null);
    }
    return host.endings().of(this, outcome, error);
  }

  /** Whoever gets here must get through: nobody else may settle the attempt any more. */
  private void decide(Supplier<Ended> decision) {
    decider = Thread.currentThread();
    Ended ended;
    try {
      ended = decision.get();
    } catch (RuntimeException | Error e) {
      log.error("could not decide about task {} ({}, queue {})", id(), type(), queue(), e);
      ended = host.endings().undecided(this, e);
    }
    endedNanos = System.nanoTime();
    host.events().finished(ref, ended.ending(), ended.error(), ran());
    host.settle(this, ended);
    handedOver = true;
  }

  private Duration ran() {
    return started ? Duration.ofNanos(endedNanos - startedNanos) : Duration.ZERO;
  }

  /** Asks the handler to stop. Only the first reason counts. */
  void cancel(CancelReason reason) {
    List<Runnable> actions;
    synchronized (this) {
      if (cancelReason != null || returned) {
        return;
      }
      cancelledNanos = System.nanoTime();
      cancelReason = reason;
      if (thread != null) {
        thread.interrupt();
      }
      actions = List.copyOf(cancelActions);
    }
    actions.forEach(this::runCancelAction);
  }

  /** Asks the handler to stop, because somebody wants that and this done with the task. */
  void cancelAnd(AfterCancel after) {
    afterCancel = after;
    cancel(CancelReason.REQUESTED);
  }

  AfterCancel afterCancel() {
    return afterCancel;
  }

  private void runCancelAction(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("what task {} wanted to have done when it is cancelled failed", id(), e);
    }
  }

  /** Whether its time is up within a second of its claim. */
  boolean isBrief() {
    return brief;
  }

  /** Looks after an attempt from time to time: its time may be up, or its handler may be stuck. */
  void check(Instant now, long nanos) {
    if (returned) {
      return;
    }
    if (cancelReason == null && !now.isBefore(deadline)) {
      cancel(CancelReason.DEADLINE);
    }
    CancelReason reason = cancelReason;
    if (reason == null || nanos - cancelledNanos < host.config().cancelGrace().toNanos()) {
      return;
    }
    overdue = true;
    if (!holdsPlace && decided.compareAndSet(false, true)) {
      decide(() -> host.endings().stopped(this, reason, null));
    }
    if (lastStuckNanos == 0 || nanos - lastStuckNanos > AttemptHost.STUCK_REMINDER.toNanos()) {
      lastStuckNanos = nanos;
      Duration since = Duration.ofNanos(nanos - cancelledNanos);
      log.warn(
          "the handler of task {} ({}, queue {}) was asked to stop ({}) and still runs after {} s;"
              + " it occupies a worker",
          id(),
          type(),
          queue(),
          reason,
          since.toSeconds());
      host.events().stuck(ref, reason, since);
    }
  }

  /** The lease is another's: nothing that is decided here has an effect any more. */
  void leaseLost() {
    if (decided.compareAndSet(false, true)) {
      lost = true;
      handedOver = true;
      log.warn("lost the lease on task {} ({}, queue {})", id(), type(), queue());
      host.events().leaseLost(ref);
      if (returned) {
        host.forget(this);
      }
    }
    cancel(CancelReason.LEASE_LOST);
  }

  /** Gives up on an attempt that is to be repeated elsewhere; false when it has been decided. */
  boolean abandon() {
    boolean first = decided.compareAndSet(false, true);
    if (first) {
      handedOver = true;
      endedNanos = System.nanoTime();
      host.events().finished(ref, ServerListener.Ending.REQUEUED, null, ran());
    }
    cancel(CancelReason.SHUTDOWN);
    return first;
  }

  boolean isRunning() {
    return started && !returned;
  }

  /** Whether its lease was lost before it was decided: then it is never settled. */
  boolean isLost() {
    return lost;
  }

  boolean isDecided() {
    return decided.get();
  }

  /**
   * Whether another thread has decided and not yet said so to whoever settles. This thread is not
   * waited for: then a listener that is told of the end stops the server.
   */
  boolean isBeingDecided() {
    return decided.get() && !handedOver && decider != Thread.currentThread();
  }

  long number() {
    return number;
  }

  Claim claim() {
    return claim;
  }

  Task task() {
    return task;
  }

  TaskRef ref() {
    return ref;
  }

  Duration sinceEnded() {
    return Duration.ofNanos(System.nanoTime() - endedNanos);
  }

  /** When its handler was called, as far as the clock of Redis is known. */
  Instant startedAt() {
    return host.clock().instant().minusNanos(System.nanoTime() - startedNanos);
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
    return task.type();
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
    return task.headers();
  }

  @Override
  public Instant deadline() {
    return deadline;
  }

  @Override
  public Duration timeLeft() {
    Duration left = Duration.between(host.clock().instant(), deadline);
    return left.isNegative() ? Duration.ZERO : left;
  }

  @Override
  public Optional<CancelReason> cancelled() {
    return Optional.ofNullable(cancelReason);
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (cancelReason == null) {
        cancelActions.add(action);
        return;
      }
    }
    runCancelAction(action);
  }

  @Override
  public void writeResult(@Nullable Object result) {
    Payload payload = host.endings().encode(result);
    if (decided.get() || !host.source().writeResult(claim, payload)) {
      throw new IllegalStateException(
          "the result of task %s was not written: its lease is lost, or it has ended"
              .formatted(id()));
    }
  }

  @Override
  public void progress(int percent, String note) {
    host.progress(this, new Progress(percent, note));
  }
}
