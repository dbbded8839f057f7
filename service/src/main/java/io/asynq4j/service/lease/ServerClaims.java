package io.asynq4j.service.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claims from one Redis server of a cluster: those in progress, late replies that are kept for
 * callers, and whether callers wait for the server at all. Thread-safe.
 */
final class ServerClaims {

  private static final Logger log = LoggerFactory.getLogger(ServerClaims.class);

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Maximum number of calls to a slow server at a time: each occupies a thread. */
  private static final int MAX_LATE_CALLS = 8;

  private final String name;
  private final ClaimExecutor executor;
  private final Consumer<Set<String>> tryAgain;
  private final long timeoutNanos;
  private final Duration keep;

  // All guarded by this.

  /** Calls for which no caller waits, in progress or answered, by queue. */
  private final Map<String, Call> late = new HashMap<>();

  /** Queues to report that have no call. */
  private final Set<String> unclaimed = new LinkedHashSet<>();

  /** Whether the last reply was late or is missing: then no caller waits. */
  private boolean slow;

  /** Whether no claims are made for a while after a failure. */
  private boolean pausing;

  private long pauseNanos = FIRST_PAUSE_NANOS;
  private boolean closed;

  /**
   * @param name address of the server
   * @param tryAgain called with queues for which {@link #claim} returned null, when it may return
   *     tasks
   * @param timeoutNanos maximum time that a caller waits
   * @param keep time for which a late reply is kept
   */
  ServerClaims(
      String name,
      ClaimExecutor executor,
      Consumer<Set<String>> tryAgain,
      long timeoutNanos,
      Duration keep) {
    this.name = name;
    this.executor = executor;
    this.tryAgain = tryAgain;
    this.timeoutNanos = timeoutNanos;
    this.keep = keep;
  }

  @Nullable LeaseBatch claim(String queue, int max, Duration lease) {
    Call kept;
    synchronized (this) {
      kept = late.get(queue);
      if (kept != null && !kept.isDone()) {
        return null;
      }
      late.remove(queue);
    }
    LeaseBatch batch = kept == null ? null : fitting(kept, max, lease);
    return batch != null ? batch : call(queue, max, lease);
  }

  /** The tasks of an earlier call, as far as they fit the claim; null when none does. */
  private @Nullable LeaseBatch fitting(Call kept, int max, Duration lease) {
    LeaseBatch batch;
    try {
      batch = kept.answer();
    } catch (BrokerUnavailableException e) {
      return null;
    }
    List<LeasedTask> tasks = batch.tasks();
    int count = kept.isLeasedFor(lease) ? Math.min(max, tasks.size()) : 0;
    if (count == tasks.size()) {
      return batch;
    }
    List<LeasedTask> rest = List.copyOf(tasks.subList(count, tasks.size()));
    executor.requeueLater(kept.queue, rest);
    return count == 0
        ? null
        : new LeaseBatch(List.copyOf(tasks.subList(0, count)), batch.heldUntil());
  }

  private @Nullable LeaseBatch call(String queue, int max, Duration lease) {
    Call call = new Call(queue, max, lease);
    boolean isAwaited;
    synchronized (this) {
      if (pausing || (slow && callsInProgress() >= MAX_LATE_CALLS)) {
        unclaimed.add(queue);
        return null;
      }
      isAwaited = !slow;
      if (!isAwaited) {
        becomeLate(call);
      }
    }
    try {
      executor.execute(call);
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        late.remove(queue, call);
      }
      throw new BrokerUnavailableException("no thread is available to claim tasks", false, e);
    }
    if (!isAwaited || (!isAnswered(call) && isAbandoned(call))) {
      return null;
    }
    try {
      return call.answer();
    } catch (BrokerUnavailableException e) {
      failed(queue);
      return null;
    }
  }

  /** Each of them reports the queues without a call when it ends. */
  private long callsInProgress() {
    return late.values().stream().filter(call -> !call.isDone()).count();
  }

  private boolean isAnswered(Call call) {
    try {
      call.get(timeoutNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      // The caller gets the exception.
    }
    return true;
  }

  /** Returns false when the call is answered after all. */
  private synchronized boolean isAbandoned(Call call) {
    if (call.isDone()) {
      return false;
    }
    if (!Thread.currentThread().isInterrupted()) {
      becomeSlow();
    }
    becomeLate(call);
    return true;
  }

  /** Of several calls for a queue, one is kept; the tasks of the others return to the queue. */
  private void becomeLate(Call call) {
    call.isSurplus = late.putIfAbsent(call.queue, call) != null;
    call.isLate = true;
  }

  private void becomeSlow() {
    if (!slow) {
      slow = true;
      log.warn("Redis at {} does not respond in time: workers of its queues wait longer", name);
    }
  }

  /** Handles the end of a call for which no caller waits. */
  private void answeredLate(Call call) {
    boolean isAvailable = true;
    try {
      call.answer();
    } catch (BrokerUnavailableException e) {
      isAvailable = false;
    } catch (RuntimeException e) {
      // The next caller gets the exception.
      log.debug("tasks of queue {} cannot be claimed", call.queue, e);
    }
    if (isAvailable) {
      answered(System.nanoTime() - call.started);
      executor.after(keepNanos(call), () -> expire(call));
      report(call.queue);
    } else {
      synchronized (this) {
        late.remove(call.queue, call);
      }
      failed(call.queue);
    }
  }

  private synchronized long keepNanos(Call call) {
    if (call.isSurplus || closed) {
      return 0;
    }
    Duration part = call.lease.dividedBy(4);
    return (part.compareTo(keep) < 0 ? part : keep).toNanos();
  }

  private synchronized void answered(long nanos) {
    pauseNanos = FIRST_PAUSE_NANOS;
    if (slow && nanos < timeoutNanos) {
      slow = false;
      log.info("Redis at {} answers in time again", name);
    }
  }

  private void report(@Nullable String answered) {
    Set<String> queues;
    synchronized (this) {
      queues = new LinkedHashSet<>(unclaimed);
      unclaimed.clear();
    }
    if (answered != null) {
      queues.add(answered);
    }
    if (!queues.isEmpty()) {
      tryAgain.accept(queues);
    }
  }

  /** Reports the queue, and those claimed from meanwhile, after a pause. */
  private void failed(String queue) {
    long pause;
    synchronized (this) {
      becomeSlow();
      unclaimed.add(queue);
      if (pausing) {
        return;
      }
      pausing = true;
      pause = pauseNanos;
      pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
    }
    executor.after(pause, this::endPause);
  }

  private void endPause() {
    synchronized (this) {
      pausing = false;
    }
    report(null);
  }

  /** Requeues the tasks of a reply that no caller has used. */
  private void expire(Call call) {
    boolean isKept;
    synchronized (this) {
      isKept = late.remove(call.queue, call);
    }
    if (isKept || call.isSurplus) {
      executor.requeue(call.queue, call.answer().tasks());
    }
  }

  /** Requeues the tasks that are kept, and from now on those of late replies. */
  void close() {
    List<Call> calls;
    synchronized (this) {
      closed = true;
      calls = List.copyOf(late.values());
    }
    for (Call call : calls) {
      if (call.isDone()) {
        executor.after(0, () -> expire(call));
      }
    }
  }

  /** A claim, from its start until its reply is used or has expired. */
  private final class Call extends FutureTask<LeaseBatch> {
    private final String queue;
    private final Duration lease;
    private final long started = System.nanoTime();

    /** Whether no caller waits for it. Guarded by the server. */
    private boolean isLate;

    /** Whether another call for the queue is kept. Set before it is late. */
    private boolean isSurplus;

    Call(String queue, int max, Duration lease) {
      super(() -> executor.source().claim(queue, max, lease));
      this.queue = queue;
      this.lease = lease;
    }

    /** Whether most of the requested lease is left. */
    boolean isLeasedFor(Duration requested) {
      Duration age = Duration.ofNanos(System.nanoTime() - started);
      return lease.equals(requested) && age.compareTo(lease.dividedBy(2)) < 0;
    }

    @Override
    protected void done() {
      boolean late;
      synchronized (ServerClaims.this) {
        late = isLate;
      }
      if (late) {
        answeredLate(this);
      }
    }

    /** The reply of a call that is done. */
    LeaseBatch answer() {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return get();
          } catch (InterruptedException e) {
            interrupted = true;
          } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
              throw cause;
            }
            throw new IllegalStateException("tasks of queue " + queue + " cannot be claimed", e);
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
