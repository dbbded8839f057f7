package io.asynq4j.service.lease;

import io.asynq4j.internal.text.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known about queues without asking Redis: whether they may have tasks to claim.
 * Thread-safe.
 *
 * <p>A queue may have tasks unless it is
 *
 * <ul>
 *   <li><em>empty</em>: it had no task to claim after the watch was armed for it;
 *   <li><em>unavailable</em>: its Redis server does not respond or refuses claims;
 *   <li><em>suspended</em>: claimed tasks of the queue cannot be started at the moment.
 * </ul>
 *
 * A change ends the first two states. Each change increments the version of the queue, so that a
 * result that is older than the last change does not overwrite it.
 */
public final class QueueAvailability implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(QueueAvailability.class);

  private static final String NO_TIMER =
      SafeLog.text("no timer for a queue can be started; the queue is polled");

  /** A queue that gives no task for longer than this is tried again after this time. */
  private static final Duration MAX_DELAY = Duration.ofDays(1);

  /** Is notified of queues that may have tasks. Called without locks, on any thread. */
  public interface Listener {

    void changed(Set<String> queues);

    /** All queues may have tasks, including those that were never mentioned. */
    void allChanged();
  }

  private static final class State {
    private long version;
    private boolean empty;
    private boolean unavailable;

    /** Number of {@link #suspend} calls without {@link #resume}. */
    private int suspensions;

    /** It had tasks while it was considered empty, so a notification may have been lost. */
    private boolean suspect;

    /** Reports a change at {@link #timerNanos}; null when no time is known. */
    private @Nullable CompletableFuture<@Nullable Void> timer;

    private long timerNanos;

    private void change() {
      version++;
      empty = false;
      unavailable = false;
    }
  }

  private final Clock clock;
  private final Listener listener;

  // Guarded by this.
  private final Map<String, State> states = new HashMap<>();

  public QueueAvailability(Clock clock, Listener listener) {
    this.clock = clock;
    this.listener = listener;
  }

  private State stateOf(String queue) {
    return states.computeIfAbsent(queue, any -> new State());
  }

  public synchronized boolean mayHaveTasks(String queue) {
    State state = stateOf(queue);
    return !state.empty && !state.unavailable && state.suspensions == 0;
  }

  /** Whether the queue is unavailable or suspended; a change is reported when it no longer is. */
  public synchronized boolean isInaccessible(String queue) {
    State state = stateOf(queue);
    return state.unavailable || state.suspensions > 0;
  }

  /** All queues that were ever mentioned. */
  public synchronized Set<String> known() {
    return Set.copyOf(states.keySet());
  }

  /** The queues that are considered empty. */
  public synchronized Set<String> empty() {
    Set<String> empty = new HashSet<>();
    states.forEach(
        (queue, state) -> {
          if (state.empty) {
            empty.add(queue);
          }
        });
    return empty;
  }

  /** Reports that the queues may have tasks. */
  public void changed(Set<String> queues) {
    Set<String> accessible = new HashSet<>();
    synchronized (this) {
      for (String queue : queues) {
        State state = stateOf(queue);
        state.change();
        if (state.suspensions == 0) {
          accessible.add(queue);
        }
      }
    }
    if (!accessible.isEmpty()) {
      listener.changed(accessible);
    }
  }

  /** Reports that all queues may have tasks. */
  public void allChanged() {
    synchronized (this) {
      states.values().forEach(State::change);
    }
    listener.allChanged();
  }

  /** Records that this process enqueued a task. The listener is called when Redis reports it. */
  public synchronized void enqueued(String queue) {
    State state = stateOf(queue);
    state.version++;
    state.empty = false;
  }

  /**
   * Reports a change of the queue at a time, for a queue that gives its next task then: nothing
   * changes in Redis at that time. Of several times, the earliest counts. Throws nothing.
   */
  public void changedAt(String queue, Instant at) {
    Duration delay = Duration.between(clock.instant(), at);
    changedAfter(queue, delay.compareTo(MAX_DELAY) < 0 ? delay : MAX_DELAY);
  }

  private void changedAfter(String queue, Duration delay) {
    long millis = Math.max(1, delay.toMillis() + 1);
    try {
      CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
      if (replaceTimer(queue, timer, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis))) {
        CompletableFuture<Void> unused = timer.thenRun(() -> elapsed(queue, timer));
        timer.completeOnTimeout(null, millis, TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NO_TIMER, e);
      synchronized (this) {
        State state = stateOf(queue);
        state.timer = null;
        state.unavailable = false;
      }
    }
  }

  private synchronized boolean replaceTimer(
      String queue, CompletableFuture<@Nullable Void> timer, long nanos) {
    State state = stateOf(queue);
    if (state.timer != null) {
      if (state.timerNanos - nanos <= 0) {
        return false;
      }
      state.timer.cancel(false);
    }
    state.timer = timer;
    state.timerNanos = nanos;
    return true;
  }

  private void elapsed(String queue, CompletableFuture<@Nullable Void> timer) {
    synchronized (this) {
      State state = stateOf(queue);
      if (state.timer == timer) {
        state.timer = null;
      }
    }
    changed(Set.of(queue));
  }

  /** Makes the queue unavailable for a time. */
  public void unavailableFor(String queue, Duration pause) {
    synchronized (this) {
      stateOf(queue).unavailable = true;
    }
    changedAfter(queue, pause);
  }

  synchronized long version(String queue) {
    return stateOf(queue).version;
  }

  synchronized Map<String, Long> versions(Collection<String> queues) {
    Map<String, Long> versions = new HashMap<>();
    queues.forEach(queue -> versions.put(queue, stateOf(queue).version));
    return versions;
  }

  /** Makes the queue unavailable until a change, unless it changed since it had the version. */
  synchronized void unavailableSince(String queue, long version) {
    State state = stateOf(queue);
    state.unavailable = state.version == version;
  }

  /** Makes those queues empty that have not changed since they had these versions. */
  synchronized void emptySince(Map<String, Long> versions) {
    versions.forEach(
        (queue, version) -> {
          State state = stateOf(queue);
          state.empty = state.version == version;
        });
  }

  /**
   * Records that a queue has tasks according to Redis. If it was considered empty, a notification
   * was lost, or the tasks cannot be claimed yet; the next claim shows which.
   *
   * @return whether the queue was considered empty
   */
  public synchronized boolean suspect(String queue) {
    State state = stateOf(queue);
    if (!state.empty) {
      return false;
    }
    state.empty = false;
    state.suspect = true;
    return true;
  }

  /** Records the result of a claim. Reports a change if a notification was lost. */
  void claimed(String queue, boolean hadTasks) {
    boolean wasSuspect;
    synchronized (this) {
      State state = stateOf(queue);
      wasSuspect = state.suspect;
      state.suspect = false;
    }
    if (wasSuspect && hadTasks) {
      changed(Set.of(queue));
    }
  }

  public synchronized void suspend(Set<String> queues) {
    queues.forEach(queue -> stateOf(queue).suspensions++);
  }

  /** Ends one {@link #suspend} of these queues and reports a change. */
  public void resume(Set<String> queues) {
    synchronized (this) {
      queues.forEach(queue -> stateOf(queue).suspensions--);
    }
    changed(queues);
  }

  /** Cancels the timers. */
  @Override
  public synchronized void close() {
    for (State state : states.values()) {
      if (state.timer != null) {
        state.timer.cancel(false);
      }
    }
  }
}
