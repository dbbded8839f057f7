package io.asynq4j.internal.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.NewTask;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Limits the tasks that wait to be sent: a task takes one place, and one more for each full 4 KiB
 * of its payload. In a cluster, tasks for one Redis server never take more places than they leave
 * free. So unresponsive servers cannot take all places, whatever their number. Thread-safe.
 */
public final class PendingBudget {

  private static final int BYTES_PER_PLACE = 4096;

  private final int places;
  private final Semaphore free;

  // The following fields are used in a cluster only.
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Share> shares = new HashMap<>();
  private volatile boolean isShared;

  /** The places of one server's tasks; guarded by the lock. */
  private final class Share {
    final Condition mayFit = lock.newCondition();
    int taken;
    int waiting;
  }

  public PendingBudget(int places) {
    this.places = places;
    this.free = new Semaphore(places);
  }

  /**
   * Waits for room.
   *
   * @param shard the server of the task; empty if there is only one
   * @param until a time of {@code System.nanoTime()}; null = no limit
   */
  void enter(NewTask task, String shard, @Nullable Long until) {
    int weight = weight(task);
    try {
      if (!(shard.isEmpty() ? acquire(weight, until) : acquire(weight, shard, until))) {
        throw notEntered(
            (shard.isEmpty()
                    ? "the buffer of " + places + " pending enqueues is full"
                    : "the buffer of pending enqueues for Redis at " + shard + " is full")
                + ", and no capacity became free in time",
            new IllegalStateException("no capacity"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notEntered(
          "interrupted while waiting for capacity in the buffer of pending enqueues", e);
    }
  }

  private boolean acquire(int weight, @Nullable Long until) throws InterruptedException {
    if (until == null) {
      free.acquire(weight);
      return true;
    }
    return free.tryAcquire(weight, Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private boolean acquire(int weight, String shard, @Nullable Long until)
      throws InterruptedException {
    isShared = true;
    lock.lockInterruptibly();
    try {
      Share share = shares.computeIfAbsent(shard, any -> new Share());
      share.waiting++;
      try {
        while (!fits(weight, share) || !free.tryAcquire(weight)) {
          if (until == null) {
            share.mayFit.await();
          } else if (share.mayFit.awaitNanos(until - System.nanoTime()) <= 0) {
            return false;
          }
        }
        share.taken += weight;
        return true;
      } finally {
        share.waiting--;
        // Even if this thread gives up: it may be the only one that was woken.
        wakeThoseThatFit();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean fits(int weight, Share share) {
    return share.taken == 0 || share.taken + weight <= free.availablePermits() - weight;
  }

  private void wakeThoseThatFit() {
    for (Share share : shares.values()) {
      if (share.waiting > 0 && fits(1, share)) {
        // All of them: the first waiting task may be too large for the free places.
        share.mayFit.signalAll();
      }
    }
  }

  /**
   * @param shard the server that was passed to {@link #enter}, even if the queue has moved since
   */
  void leave(NewTask task, String shard) {
    free.release(weight(task));
    if (!isShared) {
      return;
    }
    lock.lock();
    try {
      Share share = shares.get(shard);
      if (share != null) {
        share.taken -= weight(task);
      }
      wakeThoseThatFit();
    } finally {
      lock.unlock();
    }
  }

  private int weight(NewTask task) {
    return Math.min(places, 1 + task.message().payload().size() / BYTES_PER_PLACE);
  }

  private static BrokerUnavailableException notEntered(String problem, Throwable cause) {
    return new BrokerUnavailableException(problem + "; the task was not sent", false, cause);
  }
}
