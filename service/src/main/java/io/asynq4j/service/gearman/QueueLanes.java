package io.asynq4j.service.gearman;

import io.asynq4j.QueueName;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deals with what gathers for each queue, in its order and many together, with a thread for each
 * queue that has something: one whose Redis does not answer keeps no other waiting. Beyond {@value
 * #MOST_THREADS} queues at once, the next one waits for a thread. Thread-safe.
 */
final class QueueLanes<T> {

  private static final Logger log = LoggerFactory.getLogger(QueueLanes.class);

  static final int MOST_THREADS = 64;
  private static final int IDLE_SECONDS = 60;

  private final int most;
  private final BiConsumer<QueueName, List<T>> work;
  private final ExecutorService threads;

  // Both guarded by this. A queue has an entry while a thread deals with it.
  private final Map<QueueName, Deque<T>> waiting = new HashMap<>();
  private boolean closed;

  /**
   * @param most how many it deals with together
   * @param work must answer for each item, whatever happens
   */
  QueueLanes(ThreadFactory threads, int most, BiConsumer<QueueName, List<T>> work) {
    this.most = most;
    this.work = work;
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads);
    pool.allowCoreThreadTimeOut(true);
    this.threads = pool;
  }

  /** False when it takes nothing more, or has no thread for it. */
  synchronized boolean add(QueueName queue, T item) {
    if (closed) {
      return false;
    }
    Deque<T> lane = waiting.get(queue);
    if (lane == null) {
      lane = new ArrayDeque<>();
      waiting.put(queue, lane);
      try {
        threads.execute(() -> run(queue));
      } catch (RuntimeException | Error e) {
        // Else nothing would ever deal with this queue again.
        waiting.remove(queue);
        log.error("there is no thread for the requests for queue {}", queue, e);
        return false;
      }
    }
    lane.add(item);
    return true;
  }

  /** Whether a thread deals with this queue. */
  synchronized boolean isBusy(QueueName queue) {
    return waiting.containsKey(queue);
  }

  private void run(QueueName queue) {
    List<T> batch = take(queue);
    while (!batch.isEmpty()) {
      try {
        work.accept(queue, batch);
      } catch (Throwable e) {
        log.error("{} requests for queue {} could not be dealt with", batch.size(), queue, e);
      }
      batch = take(queue);
    }
  }

  private synchronized List<T> take(QueueName queue) {
    Deque<T> lane = waiting.getOrDefault(queue, new ArrayDeque<>());
    List<T> batch = new ArrayList<>();
    while (!lane.isEmpty() && batch.size() < most) {
      batch.add(lane.remove());
    }
    if (batch.isEmpty()) {
      waiting.remove(queue);
    }
    return batch;
  }

  /** Takes nothing more, and waits so long until what it has is dealt with. */
  void close(Duration longest) {
    synchronized (this) {
      closed = true;
    }
    threads.shutdown();
    try {
      if (!threads.awaitTermination(Math.max(1, longest.toMillis()), TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
