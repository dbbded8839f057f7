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
 * Handles items in lanes, such as one lane per queue: the items of a lane in their order, and those
 * that have accumulated in one batch. A lane has a thread while it has items, so that a lane whose
 * Redis server does not respond delays no other. Lanes that need the same Redis server share a
 * limited number of threads. Thread-safe.
 *
 * @param <K> key of a lane
 */
public final class KeyedBatchExecutor<K, T> {

  private static final Logger log = LoggerFactory.getLogger(KeyedBatchExecutor.class);

  private static final String NOT_STARTED =
      SafeLog.text("could not start a request for a queue: no thread or memory is available");
  private static final String NOT_HANDLED =
      SafeLog.text("requests for a queue could not be handled; later ones are not affected");

  /** Pause after an error. */
  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

  private final ServerThreadPools threads;
  private final BiFunction<K, T, String> serverOf;
  private final int maxBatch;
  private final BiConsumer<K, List<T>> work;

  // Both guarded by this. A lane has an entry while a thread handles it, or will.
  private final Map<K, Queue<T>> waiting = new HashMap<>();
  private boolean closed;

  /**
   * @param threads closed with the lanes
   * @param serverOf the server that a lane needs; called with the first item of the lane
   * @param maxBatch maximum number of items in a batch
   * @param work must answer for each item, whatever happens
   */
  public KeyedBatchExecutor(
      ServerThreadPools threads,
      BiFunction<K, T, String> serverOf,
      int maxBatch,
      BiConsumer<K, List<T>> work) {
    this.threads = threads;
    this.serverOf = serverOf;
    this.maxBatch = maxBatch;
    this.work = work;
  }

  /**
   * Creates an executor with one daemon thread per server, whose lanes are the servers.
   *
   * @param threadName name of the threads
   */
  public static <T> KeyedBatchExecutor<String, T> perServer(
      String threadName, int maxBatch, BiConsumer<String, List<T>> work) {
    return new KeyedBatchExecutor<>(
        new ServerThreadPools(threadName, 1), (server, item) -> server, maxBatch, work);
  }

  /** Returns false when closed, or when there is no thread or no memory for the item. */
  public synchronized boolean add(K key, T item) {
    if (closed) {
      return false;
    }
    try {
      Queue<T> lane = waiting.get(key);
      return (lane == null ? open(key, item) : lane).add(item);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_STARTED, e);
      return false;
    }
  }

  private Queue<T> open(K key, T first) {
    // A linked queue need not grow an array: without memory for that, items would get lost.
    Queue<T> lane = new LinkedBlockingQueue<>();
    try {
      waiting.put(key, lane);
      threads.execute(serverOf.apply(key, first), () -> run(key));
      return lane;
    } catch (RuntimeException | Error e) {
      // Otherwise no thread would ever handle this lane again.
      waiting.remove(key);
      throw e;
    }
  }

  /** Starts threads for lanes for which no thread could be started before. */
  public void catchUp() {
    threads.catchUp();
  }

  /** Whether a thread handles this lane, or will. */
  public synchronized boolean isBusy(K key) {
    return waiting.containsKey(key);
  }

  /** Number of items that wait in this lane. */
  public synchronized int size(K key) {
    Queue<T> lane = waiting.get(key);
    return lane == null ? 0 : lane.size();
  }

  private void run(K key) {
    boolean hasItems = true;
    while (hasItems) {
      try {
        List<T> batch = take(key);
        hasItems = !batch.isEmpty();
        if (hasItems) {
          work.accept(key, batch);
        }
      } catch (Throwable e) {
        // Such as a lack of memory. While the lane has an entry, no other thread handles it.
        SafeLog.error(log, NOT_HANDLED, e);
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
    // With its final capacity: items that were removed must not get lost for lack of memory.
    List<T> batch = new ArrayList<>(Math.min(maxBatch, lane.size()));
    while (!lane.isEmpty() && batch.size() < maxBatch) {
      batch.add(lane.remove());
    }
    return batch;
  }

  /** Accepts no more items, and waits up to this time until those it has are handled. */
  public void close(Duration timeout) {
    synchronized (this) {
      closed = true;
    }
    threads.close(timeout);
  }
}
