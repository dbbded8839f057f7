package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.concurrent.Actor;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.shard.ContentionBackoff;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves due tasks to pending. It sleeps until the next known due time, and is notified when an
 * earlier one may have been added. Runs on one thread.
 */
public final class Forwarder extends Actor {

  private static final Logger log = LoggerFactory.getLogger(Forwarder.class);

  private static final Set<QueuePart> WAITING = EnumSet.of(QueuePart.SCHEDULED, QueuePart.RETRY);
  private static final int MOST = 50;

  /** Minimum interval between two checks of a queue that changes continually. */
  private static final Duration SHORTEST = Duration.ofMillis(5);

  /** Expected delay until the first of many forwarders acts. */
  private static final long STEP_NANOS = Duration.ofMillis(2).toNanos();

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** Pause after one of several servers has not answered. */
  private static final Duration REST = Duration.ofSeconds(1);

  /** Maximum sleep while Redis does not report changes. */
  private static final Duration UNWATCHED_WAIT = Duration.ofSeconds(1);

  private final DutyContext context;
  private final Broker broker;
  private final ShardTopology shards;
  private final ShardedRunner forwarding;
  private final SharedQueueWatch watch;
  private final Set<QueueName> changed = ConcurrentHashMap.newKeySet();
  private final Map<QueueName, Instant> due = new ConcurrentHashMap<>();

  /** Queues to check, and when. Used by the forwarder's thread only. */
  private final Map<QueueName, Long> later = new HashMap<>();

  private final Map<QueueName, ContentionBackoff> rivals = new ConcurrentHashMap<>();

  /** Queues that are forwarded because a task is due, not because of a change. */
  private final Set<QueueName> expecting = ConcurrentHashMap.newKeySet();

  private volatile boolean checkAll = true;
  private long lastCheck;

  public Forwarder(DutyContext context, SharedQueueWatch watch) {
    super("asynq-forwarder", new WakeupSignal());
    this.context = context;
    this.broker = context.broker();
    this.shards = context.shards();
    this.forwarding = context.runner("forwarder", REST, this::forward);
    this.watch = watch;
    watch.listen(
        WAITING,
        queue -> {
          changed.add(queue);
          signal.raise();
        },
        this::checkAll);
    context.queues().onChange(this::checkAll);
  }

  private void checkAll() {
    checkAll = true;
    signal.raise();
  }

  @Override
  public void run() {
    Duration pause = SHORTEST;
    while (!isStopped()) {
      try {
        round();
        pause = SHORTEST;
        signal.await(waitNanos());
      } catch (RuntimeException | Error e) {
        boolean isOutage = shards.outages().failed(shards.ofSharedKeys(), e);
        if (!(e instanceof BrokerException)) {
          log.error("the forwarder failed; due tasks wait until it retries", e);
        } else if (!isOutage) {
          log.warn("the forwarder failed; due tasks wait until it retries", e);
        }
        checkAll = true;
        pause = TimeMath.min(pause.multipliedBy(4), LONGEST_PAUSE);
        if (!isStopped() && !InterruptibleSleep.sleepNanos(pause.toNanos())) {
          stop();
        }
      }
    }
  }

  private void round() {
    List<QueueName> toCheck = new ArrayList<>();
    Set<QueueName> toForward = new LinkedHashSet<>();
    long now = System.nanoTime();
    if (checkAll || now - lastCheck >= interval().toNanos()) {
      checkAll = false;
      lastCheck = now;
      changed.clear();
      toCheck.addAll(context.queues().names());
      due.keySet().retainAll(toCheck);
      toForward.addAll(oneOfEachUnreachable(toCheck));
      rivals.keySet().retainAll(toCheck);
      later.clear();
    } else {
      deferChanges(now);
      later.forEach(
          (queue, time) -> {
            if (time - now <= 0) {
              toCheck.add(queue);
            }
          });
      toCheck.forEach(later::remove);
    }
    Set<QueueName> waiting = toCheck.isEmpty() ? Set.of() : watch.arm(toCheck, WAITING);
    toCheck.forEach(due::remove);
    // Later changes are reported, including those of this server: at worst one superfluous check.
    toForward.addAll(waiting);
    Instant instant = broker.clock().instant();
    due.forEach(
        (queue, time) -> {
          if (!time.isAfter(instant)) {
            toForward.add(queue);
            expecting.add(queue);
          }
        });
    // A busy lane must not make this thread spin.
    toForward.forEach(due::remove);
    forwarding.each(toForward);
    if (!toCheck.isEmpty()) {
      InterruptibleSleep.sleepNanos(SHORTEST.toNanos());
    }
  }

  /**
   * All servers of a queue are notified of a change; if there are many, most of them wait a moment
   * and leave it to others.
   */
  private void deferChanges(long now) {
    for (QueueName queue : List.copyOf(changed)) {
      changed.remove(queue);
      later.putIfAbsent(queue, now + pauseNanos(queue));
    }
  }

  private long pauseNanos(QueueName queue) {
    ContentionBackoff ofQueue = rivals.get(queue);
    return ofQueue == null ? 0 : ofQueue.pauseNanos(STEP_NANOS);
  }

  /** A forwarder that finds nothing at a known due time was slower than others. */
  private void learn(QueueName queue, boolean moved) {
    if (expecting.remove(queue)) {
      ContentionBackoff ofQueue = rivals.computeIfAbsent(queue, any -> new ContentionBackoff());
      ofQueue.called();
      if (moved) {
        ofQueue.won();
      }
    }
  }

  /** Returns one queue per unreachable server, to detect when it is back. */
  private List<QueueName> oneOfEachUnreachable(List<QueueName> names) {
    Map<String, List<QueueName>> byShard = shards.group(names);
    Set<String> used = new HashSet<>(byShard.keySet());
    used.add(shards.ofSharedKeys());
    shards.outages().retain(used);
    return byShard.entrySet().stream()
        .filter(entry -> !entry.getKey().isEmpty() && shards.outages().isDown(entry.getKey()))
        .map(entry -> entry.getValue().get(0))
        .toList();
  }

  private void forward(QueueName queue) {
    Forwarded forwarded;
    try {
      boolean moved = false;
      do {
        forwarded = broker.upkeep().forward(queue, MOST);
        moved |= forwarded.moved() > 0;
      } while (forwarded.moved() == MOST && !isStopped());
      learn(queue, moved);
    } catch (BrokerRefusedException e) {
      // This queue is broken or access is denied; the other queues are forwarded anyway.
      log.error(
          "could not forward due tasks of queue {}; other queues are forwarded, and this one is retried",
          queue,
          e);
      due.put(queue, broker.clock().instant().plus(LONGEST_PAUSE));
      return;
    }
    if (forwarded.nextDue() == null) {
      due.remove(queue);
    } else {
      // Never again at once, whatever the clocks show.
      Instant earliest = broker.clock().instant().plusMillis(1);
      Instant next = forwarded.nextDue().plusNanos(pauseNanos(queue));
      due.put(queue, next.isBefore(earliest) ? earliest : next);
      if (!shards.of(queue).isEmpty()) {
        // On a different thread than the one that waits for the next due time.
        signal.raise();
      }
    }
  }

  private Duration interval() {
    return watch.isLive() ? context.config().forwardInterval() : UNWATCHED_WAIT;
  }

  private long waitNanos() {
    long wait = lastCheck + interval().toNanos() - System.nanoTime();
    Instant now = broker.clock().instant();
    for (Instant next : due.values()) {
      wait = Math.min(wait, TimeMath.nanosUntil(next.plusMillis(1), now));
    }
    for (long time : later.values()) {
      wait = Math.min(wait, time - System.nanoTime());
    }
    return Math.max(wait, 1);
  }
}
