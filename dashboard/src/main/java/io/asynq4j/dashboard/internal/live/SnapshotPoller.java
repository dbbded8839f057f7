package io.asynq4j.dashboard.internal.live;

import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.internal.text.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls a Redis on one thread and keeps the newest snapshot, so that the load on Redis does not
 * depend on the number of viewers. Without viewers it polls every ten seconds, for the history.
 *
 * <p>After a slow poll the next one starts later, so that polling takes at most a fifth of the
 * time. Thread-safe.
 */
public final class SnapshotPoller implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SnapshotPoller.class);

  private static final Duration INTERVAL_WITHOUT_VIEWERS = Duration.ofSeconds(10);

  /** The pause after a poll is at least this many times its duration. */
  private static final int PAUSE_FACTOR = 4;

  /** A poll that takes less time than this may follow every change. */
  static final Duration QUICK = Duration.ofMillis(250);

  /** Longest time that a caller waits for a poll. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /** Step of the pause between polls, after which the presence of viewers is checked again. */
  private static final Duration PAUSE_STEP = Duration.ofMillis(500);

  /** Pause if even the regular pause fails with an error. */
  private static final long PAUSE_AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final String name;

  /** Created early, because that may be impossible when memory is exhausted. */
  private final String failureMessage;

  private final Duration refresh;
  private final Duration quick;
  private final ThroughputHistory throughput;
  private final QueueSizeHistory queueSizes;
  private final BooleanSupplier hasViewers;
  private final BiConsumer<RedisSnapshot, RedisSnapshot> listener;
  private final Thread thread;
  private final SnapshotReader reader;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition pollRequested = lock.newCondition();
  private final Condition pollFinished = lock.newCondition();

  private volatile RedisSnapshot current = RedisSnapshot.NONE;
  private volatile long polledNanos;
  private volatile Duration pollDuration = Duration.ZERO;

  /** Number of changes made through the dashboard. */
  private final AtomicLong changes = new AtomicLong();

  /** Number of changes that the newest snapshot includes. */
  private volatile long changesSeen;

  private long pollsStarted;
  private long pollsFinished;

  /** Number of changes before the start of the newest poll. */
  private long changesAtStart;

  private boolean isPollRequested;
  private boolean isClosed;
  private boolean isDown;
  private boolean isFailing;

  /**
   * @param quick a poll that takes less time than this may follow every change
   * @param listener receives the previous and the new snapshot after each poll
   */
  SnapshotPoller(
      Inspector inspector,
      String name,
      Clock clock,
      Duration refresh,
      Duration quick,
      ThroughputHistory throughput,
      QueueSizeHistory queueSizes,
      BooleanSupplier hasViewers,
      BiConsumer<RedisSnapshot, RedisSnapshot> listener) {
    this.name = name;
    this.failureMessage =
        "dashboard: reading Redis " + name + " failed; it is retried at the next interval";
    this.refresh = refresh;
    this.quick = quick;
    this.throughput = throughput;
    this.queueSizes = queueSizes;
    this.hasViewers = hasViewers;
    this.listener = listener;
    this.reader = new SnapshotReader(inspector, name, clock);
    this.thread = new Thread(this::loop, "asynq-dashboard-poll-" + name);
    thread.setDaemon(true);
    SafeLog.prepare();
  }

  void start() {
    thread.start();
  }

  /** Returns the current pause between two polls. */
  Duration interval() {
    Duration wanted = hasViewers.getAsBoolean() ? refresh : INTERVAL_WITHOUT_VIEWERS;
    Duration shortest = pollDuration.multipliedBy(PAUSE_FACTOR);
    return shortest.compareTo(wanted) > 0 ? shortest : wanted;
  }

  /** Returns the newest snapshot, regardless of its age. */
  public RedisSnapshot last() {
    return current;
  }

  /**
   * Returns the newest snapshot. Waits for a poll first if the snapshot is older than the refresh
   * interval, or than a change that was made through this dashboard.
   */
  public RedisSnapshot fresh() {
    long changesMade = changes.get();
    boolean isQuick = pollDuration.compareTo(quick) < 0;
    boolean isOutdated =
        changesSeen < changesMade
            && (isQuick || isOlderThan(pollDuration.multipliedBy(PAUSE_FACTOR)));
    if (isOutdated || isOlderThan(refresh) || current.at() == null) {
      awaitPoll(changesMade);
    }
    return current;
  }

  /** Records that something was changed through the dashboard. */
  void markChanged() {
    changes.incrementAndGet();
  }

  private boolean isOlderThan(Duration age) {
    return System.nanoTime() - polledNanos > age.toNanos();
  }

  /**
   * Waits for a poll that sees these changes; concurrent callers share it. A running poll is
   * sufficient if it started after the changes.
   */
  private void awaitPoll(long changesMade) {
    lock.lock();
    try {
      boolean isRunning = pollsStarted > pollsFinished && changesAtStart >= changesMade;
      long wanted = isRunning ? pollsStarted : pollsStarted + 1;
      if (wanted > pollsStarted) {
        requestPoll();
      }
      long left = MAX_WAIT.toNanos();
      while (pollsFinished < wanted && left > 0 && !isClosed) {
        left = pollFinished.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Polls now if the snapshot is outdated, for a viewer that has just connected. */
  void pollSoon() {
    if (isOlderThan(refresh)) {
      lock.lock();
      try {
        requestPoll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Requires the lock. */
  private void requestPoll() {
    isPollRequested = true;
    pollRequested.signalAll();
  }

  /** Runs until the poller is closed, even after errors. */
  private void loop() {
    while (isOpen()) {
      try {
        startPoll();
        poll();
      } catch (Throwable e) {
        logFailure(e);
      }
      try {
        finishPollAndPause();
      } catch (Throwable e) {
        logFailure(e);
        LockSupport.parkNanos(PAUSE_AFTER_ERROR_NANOS);
      }
    }
  }

  /** Logs only the first of several failures in a row. */
  private void logFailure(Throwable e) {
    if (!isFailing) {
      isFailing = true;
      SafeLog.error(log, failureMessage, e);
    }
  }

  private boolean isOpen() {
    lock.lock();
    try {
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void startPoll() {
    lock.lock();
    try {
      isPollRequested = false;
      pollsStarted++;
      changesAtStart = changes.get();
    } finally {
      lock.unlock();
    }
  }

  private void finishPollAndPause() {
    lock.lock();
    try {
      pollsFinished++;
      changesSeen = changesAtStart;
      pollFinished.signalAll();
      long left = interval().toNanos();
      while (!isPollRequested && !isClosed && left > 0) {
        long step = Math.min(left, PAUSE_STEP.toNanos());
        left -= step - Math.max(0, pollRequested.awaitNanos(step));
        left = Math.min(left, interval().toNanos());
      }
    } catch (InterruptedException e) {
      isClosed = true;
    } finally {
      lock.unlock();
    }
  }

  private void poll() {
    long startedNanos = System.nanoTime();
    RedisSnapshot before = current;
    RedisSnapshot now = read(before);
    pollDuration = Duration.ofNanos(System.nanoTime() - startedNanos);
    polledNanos = System.nanoTime();
    current = now;
    if (now.problem() == null) {
      addToHistory(now);
    }
    listener.accept(before, now);
    isFailing &= now.problem() != null;
  }

  /** Returns the previous snapshot with a problem if Redis cannot be read. */
  private RedisSnapshot read(RedisSnapshot before) {
    try {
      RedisSnapshot now = reader.read(before);
      if (isDown) {
        isDown = false;
        log.info("dashboard: Redis {} is reachable again", name);
      }
      return now;
    } catch (RuntimeException | Error e) {
      String reason = e instanceof Error || e.getMessage() == null ? e.toString() : e.getMessage();
      if (e instanceof Error) {
        logFailure(e);
      } else if (!isDown) {
        isDown = true;
        log.warn("dashboard: Redis {} cannot be read, pages show earlier values: {}", name, reason);
      }
      return before.withProblem(reason);
    }
  }

  private void addToHistory(RedisSnapshot snapshot) {
    Instant at = Objects.requireNonNull(snapshot.at());
    throughput.add(at, snapshot.queues().values());
    queueSizes.add(
        at,
        snapshot.queues().values(),
        snapshot.servers().stream().mapToInt(ServerSnapshot::concurrency).sum(),
        snapshot.servers().stream().mapToInt(ServerSnapshot::activeWorkers).sum());
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      pollRequested.signalAll();
      pollFinished.signalAll();
    } finally {
      lock.unlock();
    }
    reader.close();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
