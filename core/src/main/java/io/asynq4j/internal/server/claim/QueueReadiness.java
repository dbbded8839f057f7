package io.asynq4j.internal.server.claim;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.claim.QueueClaimState.Status;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.internal.time.TimeMath;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects the served queues that are worth a claim. A queue that returned nothing is watched and
 * not claimed from again before Redis reports a change, the poll interval has passed, or a time is
 * reached.
 *
 * <p>Used by the thread of the claim loop, except for {@link #settled} and the notifications.
 */
public final class QueueReadiness {

  private static final Set<QueuePart> PENDING = EnumSet.of(QueuePart.PENDING);
  private static final Set<QueuePart> PAUSED = EnumSet.of(QueuePart.PAUSED);
  private static final Set<QueuePart> LEASE = EnumSet.of(QueuePart.LEASE);

  /** The longest wait while Redis reports changes: a message may get lost. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** The shortest wait before a held queue is tried again, whatever the clocks show. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

  private final ServerConfig config;
  private final ServedQueues queues;
  private final Clock clock;
  private final WakeupSignal signal;
  private final SharedQueueWatch watch;
  private final StrideScheduler ready;
  private final Set<QueueName> woken = ConcurrentHashMap.newKeySet();
  private final Set<QueueName> limited = ConcurrentHashMap.newKeySet();
  private volatile boolean allWoken = true;
  private volatile boolean queuesChanged = true;

  private Map<QueueName, QueueClaimState> served = new LinkedHashMap<>();
  private final Set<QueueClaimState> unwatched = new LinkedHashSet<>();
  private final Set<QueueClaimState> held = new LinkedHashSet<>();

  /** Queues that are left to other servers first, and until when. */
  private final Map<QueueClaimState, Long> deferred = new LinkedHashMap<>();

  private long lastPoll = System.nanoTime();

  /**
   * @param ready gets the queues that are worth a claim
   */
  public QueueReadiness(
      ServerConfig config,
      ServedQueues queues,
      Clock clock,
      WakeupSignal signal,
      SharedQueueWatch watch,
      StrideScheduler ready) {
    this.config = config;
    this.queues = queues;
    this.clock = clock;
    this.signal = signal;
    this.watch = watch;
    this.ready = ready;
    watch.listen(
        EnumSet.of(QueuePart.PENDING, QueuePart.PAUSED, QueuePart.LEASE),
        this::wake,
        this::wakeAll);
    queues.onChange(
        () -> {
          queuesChanged = true;
          signal.raise();
        });
  }

  private void wake(QueueName queue) {
    woken.add(queue);
    signal.raise();
  }

  private void wakeAll() {
    allWoken = true;
    signal.raise();
  }

  /**
   * Records that a task of this queue has been settled: if active tasks are limited, a place is
   * free.
   */
  public void settled(QueueName queue) {
    if (limited.contains(queue)) {
      wake(queue);
    }
  }

  /** Marks all queues for a check, since their known state may be wrong after a failure. */
  void checkAll() {
    allWoken = true;
  }

  /** Returns the queues that are ready, with their share of the workers so far. */
  StrideScheduler ready() {
    return ready;
  }

  boolean isServed(QueueClaimState queue) {
    return served.get(queue.name()) == queue;
  }

  void updateServedQueues() {
    if (!queuesChanged) {
      return;
    }
    queuesChanged = false;
    try {
      serve(queues.weights());
    } catch (RuntimeException | Error e) {
      queuesChanged = true;
      throw e;
    }
  }

  /**
   * Makes queues ready that were reported or polled, or whose time is reached.
   *
   * @param isPending whether a claim from a stalled queue is in flight
   */
  void update(Predicate<QueueClaimState> isPending) {
    long now = System.nanoTime();
    boolean all = allWoken;
    if (all || now - lastPoll >= pollNanos()) {
      lastPoll = now;
      if (all) {
        allWoken = false;
        woken.clear();
      }
      served.values().forEach(queue -> checkAgain(queue, isPending));
    }
    if (!woken.isEmpty()) {
      List<QueueName> names = List.copyOf(woken);
      names.forEach(woken::remove);
      for (QueueName name : names) {
        QueueClaimState queue = served.get(name);
        if (queue != null) {
          reported(queue);
        }
      }
    }
    // After waiting for other servers: checks whether tasks are left before a claim.
    deferred.forEach(
        (queue, until) -> {
          if (until - now <= 0 && isServed(queue)) {
            checkAgain(queue, isPending);
          }
        });
    deferred.values().removeIf(until -> until - now <= 0);
    if (!held.isEmpty()) {
      Instant instant = clock.instant();
      for (QueueClaimState queue : List.copyOf(held)) {
        Instant until = queue.heldUntil();
        if (until == null || !instant.isBefore(until)) {
          makeReady(queue);
        }
      }
    }
  }

  private void serve(Map<QueueName, Integer> weights) {
    Map<QueueName, QueueClaimState> next = new LinkedHashMap<>();
    weights.forEach(
        (name, weight) -> {
          QueueClaimState queue = served.get(name);
          QueueRules rules = config.rulesOf(name);
          if (queue == null || queue.weight() != weight || !queue.rules().equals(rules)) {
            queue = new QueueClaimState(name, weight, rules);
          }
          next.put(name, queue);
        });
    served = next;
    ready.removeIf(queue -> !isServed(queue));
    held.removeIf(queue -> !isServed(queue));
    unwatched.removeIf(queue -> !isServed(queue));
    served.values().stream()
        .filter(queue -> queue.status() == Status.EMPTY)
        .forEach(unwatched::add);
  }

  /**
   * Checks a watched queue anyway, since a message may get lost, and a held one, since the task
   * that holds it may be gone. A queue that an error, such as a lack of memory, has left without a
   * state gets its state again.
   */
  private void checkAgain(QueueClaimState queue, Predicate<QueueClaimState> isPending) {
    switch (queue.status()) {
      case WATCHED -> {
        queue.become(Status.EMPTY);
        unwatched.add(queue);
      }
      case HELD -> makeReady(queue);
      case READY, FULL_WATCHED -> ready.enter(queue);
      case EMPTY, PAUSED, FULL -> unwatched.add(queue);
      case STALLED -> {
        // Otherwise a claim follows when its server answers.
        if (!isPending.test(queue)) {
          makeReady(queue);
        }
      }
    }
  }

  private void reported(QueueClaimState queue) {
    if (queue.status() == Status.STALLED) {
      // A claim follows in any case when its server answers.
      return;
    }
    long wait = queue.reported();
    if (wait == 0 || queue.status() != Status.WATCHED) {
      makeReady(queue);
    } else {
      deferred.putIfAbsent(queue, System.nanoTime() + wait);
    }
  }

  void makeReady(QueueClaimState queue) {
    unwatched.remove(queue);
    held.remove(queue);
    queue.become(Status.READY);
    ready.enter(queue);
  }

  /** The queue has returned all tasks that are available now. */
  void becomeIdle(QueueClaimState queue, Status status) {
    ready.leave(queue);
    queue.become(status);
    unwatched.add(queue);
  }

  /** The server of the queue does not respond in time. */
  void stall(QueueClaimState queue) {
    ready.leave(queue);
    queue.become(Status.STALLED);
  }

  /**
   * The limit of active tasks is reached.
   *
   * @param placesWatched whether the limit was watched before the claim
   */
  void becomeFull(QueueClaimState queue, boolean placesWatched) {
    limited.add(queue.name());
    becomeIdle(queue, Status.FULL);
    if (placesWatched) {
      unwatched.remove(queue);
      queue.become(Status.WATCHED);
    }
  }

  /** The queue returns nothing before a time, because of its rate or the order of its tasks. */
  void becomeHeld(QueueClaimState queue, @Nullable Instant until) {
    limited.add(queue.name());
    hold(queue, until);
  }

  void hold(QueueClaimState queue, @Nullable Instant until) {
    ready.leave(queue);
    queue.holdUntil(until);
    held.add(queue);
  }

  /** Watches queues that returned nothing. Those that have tasks by now become ready. */
  void watchIdle() {
    if (unwatched.isEmpty()) {
      return;
    }
    List<QueueClaimState> all = List.copyOf(unwatched);
    watch(all, Status.EMPTY, PENDING);
    watch(all, Status.PAUSED, PAUSED);
    watch(all, Status.FULL, LEASE);
    // Not earlier: if Redis fails, they stay unwatched.
    unwatched.clear();
  }

  private void watch(List<QueueClaimState> all, Status status, Set<QueuePart> parts) {
    List<QueueName> names =
        all.stream().filter(q -> q.status() == status).map(QueueClaimState::name).toList();
    if (names.isEmpty()) {
      return;
    }
    Set<QueueName> nonEmpty = watch.arm(names, parts);
    for (QueueName name : names) {
      QueueClaimState queue = served.get(name);
      if (queue == null) {
        continue;
      }
      if (status == Status.FULL) {
        // A place may have become free before it was watched: one more claim is sent.
        makeReady(queue);
        queue.become(Status.FULL_WATCHED);
      } else if (nonEmpty.contains(name) == (status == Status.EMPTY)) {
        makeReady(queue);
      } else {
        queue.become(Status.WATCHED);
      }
    }
  }

  private long pollNanos() {
    long poll = config.pollInterval().toNanos();
    return watch.isLive() ? Math.max(LONGEST_WAIT.toNanos(), poll) : poll;
  }

  /** Returns how long to wait unless a notification arrives. */
  long idleNanos() {
    long nanos = System.nanoTime();
    long wait = Math.max(0, lastPoll + pollNanos() - nanos);
    for (long until : deferred.values()) {
      wait = Math.min(wait, Math.max(until - nanos, 1));
    }
    if (!held.isEmpty()) {
      Instant now = clock.instant();
      for (QueueClaimState queue : held) {
        Instant until = queue.heldUntil();
        if (until != null) {
          long left = TimeMath.nanosUntil(until.plusMillis(1), now);
          wait = Math.min(wait, Math.max(left, SHORTEST_WAIT.toNanos()));
        }
      }
    }
    return wait;
  }
}
