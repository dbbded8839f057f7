package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
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
public final class Forwarder implements Runnable {

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
  private static final Duration UNTOLD = Duration.ofSeconds(1);

  private final ServerConfig config;
  private final Broker broker;
  private final ServedQueues queues;
  private final ShardTopology shards;
  private final ShardedRunner forwarding;
  private final WakeupSignal signal = new WakeupSignal();
  private final SharedQueueWatch watch;
  private final Set<QueueName> changed = ConcurrentHashMap.newKeySet();
  private final Map<QueueName, Instant> due = new ConcurrentHashMap<>();

  /** Queues to check, and when. Used by the forwarder's thread only. */
  private final Map<QueueName, Long> later = new HashMap<>();

  private final Map<QueueName, ContentionBackoff> rivals = new ConcurrentHashMap<>();

  /** Queues that are forwarded because a task is due, not because of a change. */
  private final Set<QueueName> expecting = ConcurrentHashMap.newKeySet();

  private volatile boolean lookAtAll = true;
  private volatile boolean stopped;
  private long lastLook;

  public Forwarder(
      ServerConfig config,
      Broker broker,
      ServedQueues queues,
      ShardTopology shards,
      SharedQueueWatch watch) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.shards = shards;
    this.forwarding =
        new ShardedRunner("forwarder", shards, REST, ShardedRunner.calling(this::forward));
    this.watch = watch;
    watch.listen(
        WAITING,
        queue -> {
          changed.add(queue);
          signal.raise();
        },
        this::lookAtAll);
    queues.onChange(this::lookAtAll);
  }

  private void lookAtAll() {
    lookAtAll = true;
    signal.raise();
  }

  @Override
  public void run() {
    Duration pause = SHORTEST;
    while (!stopped) {
      try {
        round();
        pause = SHORTEST;
        signal.await(waitNanos());
      } catch (BrokerException e) {
        if (!shards.outages().failed(shards.ofSharedKeys(), e)) {
          log.warn("the forwarder failed; due tasks wait until it retries", e);
        }
        lookAtAll = true;
        pause = pauseAfter(pause);
      } catch (RuntimeException | Error e) {
        log.error("the forwarder failed; due tasks wait until it retries", e);
        shards.outages().failed(shards.ofSharedKeys(), e);
        lookAtAll = true;
        pause = pauseAfter(pause);
      }
    }
  }

  private Duration pauseAfter(Duration pause) {
    Duration longer = pause.multipliedBy(4);
    Duration next = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
    if (!stopped && !InterruptibleSleep.sleep(next)) {
      stopped = true;
    }
    return next;
  }

  public void stop() {
    stopped = true;
    signal.raise();
  }

  private void round() {
    List<QueueName> toLookAt = new ArrayList<>();
    Set<QueueName> toForward = new LinkedHashSet<>();
    long now = System.nanoTime();
    if (lookAtAll || now - lastLook >= interval().toNanos()) {
      lookAtAll = false;
      lastLook = now;
      changed.clear();
      toLookAt.addAll(queues.names());
      due.keySet().retainAll(toLookAt);
      toForward.addAll(oneOfEachThatIsAway(toLookAt));
      rivals.keySet().retainAll(toLookAt);
      later.clear();
    } else {
      takeUpChanges(now);
      later.forEach(
          (queue, time) -> {
            if (time - now <= 0) {
              toLookAt.add(queue);
            }
          });
      toLookAt.forEach(later::remove);
    }
    Set<QueueName> waiting = toLookAt.isEmpty() ? Set.of() : watch.arm(toLookAt, WAITING);
    toLookAt.forEach(due::remove);
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
    if (!toLookAt.isEmpty()) {
      InterruptibleSleep.sleep(SHORTEST);
    }
  }

  /**
   * All servers of a queue are notified of a change; if there are many, most of them wait a moment
   * and leave it to others.
   */
  private void takeUpChanges(long now) {
    for (QueueName queue : List.copyOf(changed)) {
      changed.remove(queue);
      later.putIfAbsent(queue, now + pauseNanos(queue));
    }
  }

  private long pauseNanos(QueueName queue) {
    ContentionBackoff ofQueue = rivals.get(queue);
    if (ofQueue == null) {
      return 0;
    }
    synchronized (ofQueue) {
      return ofQueue.pauseNanos(STEP_NANOS);
    }
  }

  /** A forwarder that finds nothing at a known due time was slower than others. */
  private void learn(QueueName queue, boolean moved) {
    if (expecting.remove(queue)) {
      ContentionBackoff ofQueue = rivals.computeIfAbsent(queue, any -> new ContentionBackoff());
      synchronized (ofQueue) {
        ofQueue.called();
        if (moved) {
          ofQueue.won();
        }
      }
    }
  }

  /** Returns one queue per unreachable server, to detect when it is back. */
  private List<QueueName> oneOfEachThatIsAway(List<QueueName> names) {
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
      } while (forwarded.moved() == MOST && !stopped);
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
    return watch.isLive() ? config.forwardInterval() : UNTOLD;
  }

  private long waitNanos() {
    long wait = lastLook + interval().toNanos() - System.nanoTime();
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
