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
 * Refuses tasks of a definition that has its maximum number of pending tasks. The size of a queue
 * is read a few times a second, and the tasks that this limiter has admitted since are added: all
 * parts of a replica that enqueue must share one. Other replicas may exceed the limit between two
 * reads. One caller reads while the others continue with the last size: the Redis server of the
 * queue may not respond. Thread-safe.
 */
public final class PendingTaskLimiter {

  private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();

  /** Last known size of a queue. */
  private static final class QueueSize {
    // All guarded by this.
    private long pending;
    private long admitted;
    private long at;
    private boolean made;
    private boolean reading;

    /** Whether the caller should read the size. */
    synchronized boolean begin(long now) {
      boolean isKnown = made && (reading || now - at <= FRESH_NANOS);
      if (!isKnown) {
        reading = true;
        admitted = 0;
      }
      return !isKnown;
    }

    /** Tasks admitted during the read may not be part of the size it returned. */
    synchronized void made(long found, long begun) {
      pending = found + admitted;
      at = begun;
      made = true;
    }

    synchronized void end() {
      reading = false;
    }

    synchronized boolean admits(long max) {
      boolean isFree = pending < max;
      if (isFree) {
        pending++;
        admitted++;
      }
      return isFree;
    }
  }

  private final ToLongFunction<String> pending;
  private final LongSupplier nanos;
  private final Map<String, QueueSize> sizes = new ConcurrentHashMap<>();

  public PendingTaskLimiter(Inspector inspector) {
    this(queue -> pending(inspector, queue), System::nanoTime);
  }

  /**
   * @param pending returns the number of pending tasks of a queue from Redis
   * @param nanos a timer such as {@code System.nanoTime()}
   */
  PendingTaskLimiter(ToLongFunction<String> pending, LongSupplier nanos) {
    this.pending = pending;
    this.nanos = nanos;
  }

  /** Admits a task and counts it; false if it must be refused. */
  public boolean tryAdmit(TaskDefinition definition) {
    if (definition.maxPending() == 0) {
      return true;
    }
    String queue = definition.queue().value();
    QueueSize size = sizes.computeIfAbsent(queue, any -> new QueueSize());
    long now = nanos.getAsLong();
    if (size.begin(now)) {
      try {
        size.made(pending.applyAsLong(queue), now);
      } finally {
        size.end();
      }
    }
    return size.admits(definition.maxPending());
  }

  private static long pending(Inspector inspector, String queue) {
    try {
      return inspector.queue(queue).snapshot().size(TaskState.PENDING);
    } catch (QueueNotFoundException e) {
      return 0;
    }
  }
}
