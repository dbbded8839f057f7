package io.asynq4j.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.broker.NewTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what waits to be sent: a task takes one place, and one more for each full 4 KiB of its
 * payload. Thread-safe.
 */
final class Room {

  private static final int BYTES_PER_PLACE = 4096;

  private final int places;
  private final Semaphore free;

  Room(int places) {
    this.places = places;
    this.free = new Semaphore(places);
  }

  /** Waits for room until a time of {@code System.nanoTime()}; for ever when null. */
  void enter(NewTask task, @Nullable Long until) {
    try {
      if (until == null) {
        free.acquire(weight(task));
      } else if (!free.tryAcquire(
          weight(task), Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        throw notEntered(
            places + " tasks wait for Redis already, and none could leave within the limit",
            new IllegalStateException("no room"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notEntered("interrupted while waiting for room among tasks that wait for Redis", e);
    }
  }

  void leave(NewTask task) {
    free.release(weight(task));
  }

  private int weight(NewTask task) {
    return Math.min(places, 1 + task.message().payload().size() / BYTES_PER_PLACE);
  }

  private static BrokerUnavailableException notEntered(String problem, Throwable cause) {
    return new BrokerUnavailableException(problem + "; the task was not sent", false, cause);
  }
}
