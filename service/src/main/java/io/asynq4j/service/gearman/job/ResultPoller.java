package io.asynq4j.service.gearman.job;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.time.PollInterval;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.service.executor.KeyedBatchExecutor;
import io.asynq4j.service.executor.RedisServerLocator;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls tasks whose results are awaited: first after milliseconds, then less and less often, on one
 * thread for all tasks of the same Redis server. Thread-safe.
 */
final class ResultPoller {

  private static final Logger log = LoggerFactory.getLogger(ResultPoller.class);

  /** With many tasks, each is polled less often: the longest interval per task. */
  private static final Duration INTERVAL_PER_TASK = Duration.ofMillis(1);

  private static final int MAX_BATCH = 100;
  private static final String THREAD_NAME = "asynq-gearman-results";

  /** A task that is polled. Guarded by the poller. */
  private static final class Entry {
    private final long number;
    private final JobKey key;
    private PollInterval interval;

    /** Changes only while the entry is not in the set that is sorted by it. */
    private long next;

    /** Whether a thread polls it, or will. */
    private boolean polling;

    Entry(long number, JobKey key, PollInterval interval) {
      this.number = number;
      this.key = key;
      this.interval = interval;
      this.next = System.nanoTime() + interval.nanos();
    }
  }

  private final RedisServerLocator servers;
  private final Predicate<JobKey> poll;
  private final PollInterval firstInterval;
  private final Duration longestInterval;
  private final Thread thread;

  /** By the server of a cluster. */
  private final KeyedBatchExecutor<String, Entry> lanes;

  /** Servers whose last poll has failed. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  // All guarded by this.
  private final Map<JobKey, Entry> entries = new HashMap<>();
  private final TreeSet<Entry> schedule =
      new TreeSet<>(
          Comparator.comparingLong((Entry entry) -> entry.next)
              .thenComparingLong(entry -> entry.number));
  private long numbers;
  private boolean closed;

  /**
   * @param interval the first poll is after a hundredth of it, the last ones every half of it
   * @param poll polls a task, and returns false if it did not have to ask Redis
   */
  ResultPoller(RedisServerLocator servers, Duration interval, Predicate<JobKey> poll) {
    this.servers = servers;
    this.poll = poll;
    this.firstInterval = PollInterval.startingAt(interval.dividedBy(100));
    this.longestInterval = interval.dividedBy(2);
    this.thread = new Thread(this::run, THREAD_NAME);
    thread.setDaemon(true);
    this.lanes =
        KeyedBatchExecutor.perServer(
            THREAD_NAME, MAX_BATCH, (server, batch) -> batch.forEach(entry -> poll(server, entry)));
  }

  void start() {
    thread.start();
  }

  synchronized void add(JobKey key) {
    Entry entry = new Entry(++numbers, key, firstInterval);
    entries.put(key, entry);
    schedule.add(entry);
    notifyAll();
  }

  synchronized void remove(JobKey key) {
    Entry entry = entries.remove(key);
    if (entry != null) {
      schedule.remove(entry);
    }
  }

  /** Polls a task after the first interval, and then less and less often again. */
  void pollSoon(JobKey key) {
    pollAfter(key, firstInterval.nanos());
  }

  /** Polls a task after this time, and then less and less often again. */
  synchronized void pollAfter(JobKey key, long nanos) {
    Entry entry = entries.get(key);
    if (entry != null) {
      schedule.remove(entry);
      entry.interval = firstInterval;
      entry.next = System.nanoTime() + nanos;
      schedule.add(entry);
      notifyAll();
    }
  }

  private void run() {
    try {
      Entry entry = next();
      while (entry != null) {
        String server = servers.of(entry.key.queue());
        if (server.isEmpty()) {
          poll(server, entry);
        } else if (!lanes.add(server, entry)) {
          polled(entry);
        }
        entry = next();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the next task to poll; null when closed. */
  private synchronized @Nullable Entry next() throws InterruptedException {
    while (!closed) {
      long now = System.nanoTime();
      Entry first = schedule.isEmpty() ? null : schedule.first();
      if (first == null) {
        wait();
      } else if (first.next - now > 0) {
        wait(Math.max(1, (first.next - now) / 1_000_000));
      } else {
        schedule.remove(first);
        first.next = now + first.interval.nanos();
        first.interval =
            first.interval.next(
                TimeMath.max(longestInterval, INTERVAL_PER_TASK.multipliedBy(schedule.size())));
        schedule.add(first);
        if (!first.polling) {
          first.polling = true;
          return first;
        }
      }
    }
    return null;
  }

  private void poll(String server, Entry entry) {
    try {
      if (poll.test(entry.key)) {
        failing.remove(server);
      }
    } catch (BrokerException e) {
      if (failing.add(server)) {
        log.warn("results for gearman clients cannot be polled: {}", e.getMessage());
      }
    } catch (RuntimeException e) {
      log.error("the result of task {} cannot be polled", entry.key.id(), e);
    } finally {
      polled(entry);
    }
  }

  private synchronized void polled(Entry entry) {
    entry.polling = false;
  }

  void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    lanes.close(Duration.ZERO);
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
