package io.asynq4j.service.executor;

import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles what gathers in each lane, such as that of a queue, in its order and many together. A
 * lane has a thread while it has items, so that one whose Redis does not answer delays no other.
 * Lanes that need the same Redis server share a limited number of threads. Thread-safe.
 *
 * @param <K> what names a lane
 */
public final class KeyedBatchExecutor<K, T> {

  private static final Logger log = LoggerFactory.getLogger(KeyedBatchExecutor.class);

  /** Between two tries after an error. */
  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

  private final ServerThreadPools threads;
  private final BiFunction<K, T, String> serverOf;
  private final int most;
  private final BiConsumer<K, List<T>> work;

  // Both guarded by this. A lane has an entry while a thread handles it, or will.
  private final Map<K, Queue<T>> waiting = new HashMap<>();
  private boolean closed;

  /**
   * @param threads closed with the lanes
   * @param serverOf the server that a lane needs, asked with its first item
   * @param most how many items are handled together
   * @param work must answer for each item, whatever happens
   */
  public KeyedBatchExecutor(
      ServerThreadPools threads,
      BiFunction<K, T, String> serverOf,
      int most,
      BiConsumer<K, List<T>> work) {
    this.threads = threads;
    this.serverOf = serverOf;
    this.most = most;
    this.work = work;
  }

  /** False when closed, or when there is no thread or no memory for it. */
  public synchronized boolean add(K key, T item) {
    if (closed) {
      return false;
    }
    try {
      Queue<T> lane = waiting.get(key);
      return (lane == null ? open(key, item) : lane).add(item);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "there is no thread or no memory for a request for a queue", e);
      return false;
    }
  }

  private Queue<T> open(K key, T first) {
    // Not one that has to grow: when it cannot, what waits in it would get lost.
    Queue<T> lane = new LinkedBlockingQueue<>();
    try {
      waiting.put(key, lane);
      threads.execute(serverOf.apply(key, first), () -> run(key));
      return lane;
    } catch (RuntimeException | Error e) {
      // Else nothing would ever handle this lane again.
      waiting.remove(key);
      throw e;
    }
  }

  /** Starts threads for lanes that there was none for before. */
  public void catchUp() {
    threads.catchUp();
  }

  /** Whether a thread handles this lane, or will. */
  public synchronized boolean isBusy(K key) {
    return waiting.containsKey(key);
  }

  /** How many items wait in this lane. */
  public synchronized int size(K key) {
    Queue<T> lane = waiting.get(key);
    return lane == null ? 0 : lane.size();
  }

  private void run(K key) {
    boolean goesOn = true;
    while (goesOn) {
      try {
        List<T> batch = take(key);
        goesOn = !batch.isEmpty();
        if (goesOn) {
          work.accept(key, batch);
        }
      } catch (Throwable e) {
        // Such as a lack of memory. While the lane has an entry, no other thread handles it.
        SafeLog.error(log, "requests for a queue could not be handled; those after them are", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private synchronized List<T> take(K key) {
    Queue<T> lane = waiting.get(key);
    if (lane == null || lane.isEmpty()) {
      waiting.remove(key);
      return List.of();
    }
    // As large as it becomes: what is taken must not get lost for want of memory.
    List<T> batch = new ArrayList<>(Math.min(most, lane.size()));
    while (!lane.isEmpty() && batch.size() < most) {
      batch.add(lane.remove());
    }
    return batch;
  }

  /** Accepts no more items, and waits this long until those it has are handled. */
  public void close(Duration longest) {
    synchronized (this) {
      closed = true;
    }
    threads.close(longest);
  }
}
