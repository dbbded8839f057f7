package io.asynq4j.service.limit;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Refuses tasks of a definition while as many are pending as it allows. A queue is looked at a few
 * times a second, and what this replica has accepted since is added, so other replicas may exceed
 * the limit between two looks. One caller looks, and the others go on by what is known: the Redis
 * server of the queue may be silent. Thread-safe.
 */
public final class PendingTaskLimiter {

  private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();

  /** What is known of a queue. */
  private static final class Look {
    // All guarded by this.
    private long pending;
    private long admitted;
    private long at;
    private boolean made;
    private boolean underWay;

    /** Whether the caller is to look. */
    synchronized boolean begin(long now) {
      boolean isKnown = made && (underWay || now - at <= FRESH_NANOS);
      if (!isKnown) {
        underWay = true;
        admitted = 0;
      }
      return !isKnown;
    }

    /** What was admitted during the look may not be in what it found. */
    synchronized void made(long found, long begun) {
      pending = found + admitted;
      at = begun;
      made = true;
    }

    synchronized void end() {
      underWay = false;
    }

    synchronized boolean admits(long most) {
      boolean isFree = pending < most;
      if (isFree) {
        pending++;
        admitted++;
      }
      return isFree;
    }
  }

  private final ToLongFunction<String> pending;
  private final LongSupplier nanos;
  private final Map<String, Look> looks = new ConcurrentHashMap<>();

  public PendingTaskLimiter(Inspector inspector) {
    this(queue -> pending(inspector, queue), System::nanoTime);
  }

  /**
   * @param pending asks Redis how many tasks wait in a queue
   * @param nanos the time, as {@code System.nanoTime()}
   */
  PendingTaskLimiter(ToLongFunction<String> pending, LongSupplier nanos) {
    this.pending = pending;
    this.nanos = nanos;
  }

  /** Counts a task in; false when it must be refused. */
  public boolean tryAdmit(TaskDefinition definition) {
    if (definition.maxPending() == 0) {
      return true;
    }
    String queue = definition.queue().value();
    Look look = looks.computeIfAbsent(queue, any -> new Look());
    long now = nanos.getAsLong();
    if (look.begin(now)) {
      try {
        look.made(pending.applyAsLong(queue), now);
      } finally {
        look.end();
      }
    }
    return look.admits(definition.maxPending());
  }

  private static long pending(Inspector inspector, String queue) {
    try {
      return inspector.queue(queue).snapshot().size(TaskState.PENDING);
    } catch (QueueNotFoundException e) {
      return 0;
    }
  }
}
