package io.asynq4j.internal.server.attempt;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One run of one task. Who decides how it ends, the handler or whoever gives up on it, is settled
 * by one compare-and-set.
 */
public final class Attempt implements Runnable, TaskContext {

  private static final Logger log = LoggerFactory.getLogger(Attempt.class);

  private static final Duration BRIEF = Duration.ofSeconds(1);

  /** Who has decided how the attempt ends. */
  private enum Decision {
    /** By what the handler returned or threw. */
    AS_HANDLED,
    /** It was asked to stop and has not done so. */
    WITHOUT_HANDLER,
    /** It was never called. */
    GIVEN_BACK
  }

  private final long number;
  private final Claim claim;
  private final Task task;
  private final TaskRef ref;
  private final Instant deadline;
  private final long deadlineNanos;
  private final boolean brief;
  private final AttemptHost host;
  private final AtomicBoolean decided = new AtomicBoolean();
  private final List<Runnable> cancelActions = new ArrayList<>(0);

  private @Nullable Thread thread;
  private volatile @Nullable Thread decider;
  private @Nullable Outcome outcome;
  private @Nullable Throwable error;
  private volatile @Nullable Decision decision;
  private volatile @Nullable AttemptOutcome ended;
  private volatile boolean handedOver;
  private volatile boolean handOverFailed;
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

  public Attempt(long number, Claim claim, AttemptHost host) {
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
    // By the steady timer: a step of the clock is not the handler's fault, and must not cost a
    // retry.
    this.deadlineNanos = System.nanoTime() + TimeMath.nanosUntil(deadline, now);
    this.brief = deadline.isBefore(now.plus(BRIEF));
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
    try {
      begin();
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
      ended(outcome, error);
      forget();
      MDC.remove("taskId");
      MDC.remove("taskType");
      MDC.remove("queue");
    }
  }

  private void begin() {
    synchronized (this) {
      thread = Thread.currentThread();
      startedNanos = System.nanoTime();
      started = true;
    }
    MDC.put("taskId", id());
    MDC.put("taskType", type());
    MDC.put("queue", queue().value());
  }

  private void ended(@Nullable Outcome result, @Nullable Throwable thrown) {
    outcome = result;
    error = thrown;
    decide(Decision.AS_HANDLED);
  }

  private void forget() {
    try {
      host.forget(this);
    } catch (RuntimeException | Error e) {
      report("could not take an attempt off the list of those that run", e);
    }
  }

  private AttemptOutcome ending() {
    CancelReason reason = cancelReason;
    if (reason != null && (overdue || outcome == null)) {
      return host.endings().stopped(this, reason, error);
    } else if (error == null && outcome == null) {
      return host.endings()
          .failed(this, new NullPointerException("the handler returned no outcome"), null);
    }
    return host.endings().of(this, outcome, error);
  }

  /** Nothing happens when it has been decided before. */
  private void decide(Decision how) {
    if (decided.compareAndSet(false, true)) {
      decision = how;
      handOver();
    }
  }

  /**
   * Tells of the decision and has it settled. Nobody else may settle the attempt any more, so when
   * an error comes in between, such as a lack of memory, this is repeated with the next check.
   */
  private void handOver() {
    decider = Thread.currentThread();
    handOverFailed = false;
    try {
      AttemptOutcome end = ended;
      if (end == null) {
        end = decided();
        endedNanos = System.nanoTime();
        ended = end;
        host.events().finished(ref, end.ending(), end.error(), ran());
        host.failures().ended(ref, end);
      }
      host.settle(this, end);
      handedOver = true;
    } catch (RuntimeException | Error e) {
      report("could not end an attempt, which is tried again", e);
      handOverFailed = true;
    }
  }

  private AttemptOutcome decided() {
    try {
      return switch (Objects.requireNonNull(decision)) {
        case AS_HANDLED -> ending();
        case WITHOUT_HANDLER ->
            host.endings().stopped(this, Objects.requireNonNull(cancelReason), null);
        case GIVEN_BACK -> OutcomePolicy.requeued(this);
      };
    } catch (RuntimeException | Error e) {
      report("could not decide about a task by the rules of its server", e);
      return host.endings().undecided(this, e);
    }
  }

  private void report(String what, Throwable error) {
    try {
      log.error("{}: task {} ({}, queue {})", what, logId(), logType(), queue(), error);
    } catch (RuntimeException | Error e) {
      ThreadSupervisor.report(log, what, error);
    }
  }

  private Duration ran() {
    return started ? Duration.ofNanos(endedNanos - startedNanos) : Duration.ZERO;
  }

  /** Asks the handler to stop. Only the first reason counts. */
  public void cancel(CancelReason reason) {
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
  public void cancelAnd(AfterCancel after) {
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
      log.error("what task {} wanted to have done when it is cancelled failed", logId(), e);
    }
  }

  /** Whether its time is up within a second of its claim. */
  boolean isBrief() {
    return brief;
  }

  /** Looks after an attempt from time to time: its time may be up, or its handler may be stuck. */
  public void check(long nanos) {
    if (handOverFailed) {
      handOver();
    }
    if (returned) {
      return;
    }
    if (cancelReason == null && nanos - deadlineNanos >= 0) {
      cancel(CancelReason.DEADLINE);
    }
    CancelReason reason = cancelReason;
    if (reason == null || nanos - cancelledNanos < host.config().cancelGrace().toNanos()) {
      return;
    }
    overdue = true;
    if (lastStuckNanos == 0 || nanos - lastStuckNanos > AttemptHost.STUCK_REMINDER.toNanos()) {
      lastStuckNanos = nanos;
      Duration since = Duration.ofNanos(nanos - cancelledNanos);
      log.warn(
          "the handler of task {} ({}, queue {}) was asked to stop ({}) and still runs after {} s;"
              + " it occupies a worker",
          logId(),
          logType(),
          queue(),
          reason,
          since.toSeconds());
      host.events().stuck(ref, reason, since);
    }
  }

  /** Whether its handler was asked to stop and goes on, and nobody has decided without it. */
  boolean isOverdue() {
    return overdue && !returned && !decided.get();
  }

  void settleWithoutHandler() {
    decide(Decision.WITHOUT_HANDLER);
  }

  /** The lease is another's: nothing that is decided here has an effect any more. */
  public void leaseLost() {
    if (decided.compareAndSet(false, true)) {
      lost = true;
      handedOver = true;
      log.warn("lost the lease on task {} ({}, queue {})", logId(), logType(), queue());
      host.events().leaseLost(ref);
      if (returned) {
        forget();
      }
    }
    cancel(CancelReason.LEASE_LOST);
  }

  /** Gives up on an attempt that is to be repeated elsewhere; false when it has been decided. */
  public boolean abandon() {
    boolean first = decided.compareAndSet(false, true);
    if (first) {
      handedOver = true;
      endedNanos = System.nanoTime();
      host.events().finished(ref, ServerListener.Ending.REQUEUED, null, ran());
    }
    cancel(CancelReason.SHUTDOWN);
    return first;
  }

  /** Gives the task back to the head of its queue: nothing has been done for it. */
  public void giveBack() {
    decide(Decision.GIVEN_BACK);
  }

  /** Where its handler runs; null when it does not. */
  public synchronized @Nullable Thread thread() {
    return thread;
  }

  public boolean isRunning() {
    return started && !returned;
  }

  /** Whether its lease was lost before it was decided: then it is never settled. */
  boolean isLost() {
    return lost;
  }

  public boolean isDecided() {
    return decided.get();
  }

  /**
   * Whether another thread has decided and not yet said so to whoever settles. This thread is not
   * waited for: then a listener that is told of the end stops the server.
   */
  public boolean isBeingDecided() {
    return decided.get() && !handedOver && decider != Thread.currentThread();
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

  private String logId() {
    return LogText.name(id());
  }

  private String logType() {
    return LogText.name(type());
  }

  public Duration sinceEnded() {
    return Duration.ofNanos(System.nanoTime() - endedNanos);
  }

  /** When its handler was called, as far as the clock of Redis is known. */
  public Instant startedAt() {
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
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
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
    Payload payload = host.config().resultLimit().require(claim, host.endings().encode(result));
    if (decided.get() || !host.writeResult(this, payload)) {
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
