package io.asynq4j.internal.server;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.HealthTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of all attempts in time, and shows the server. One thread, which ends last;
 * where the queues are on several servers of Redis, each of them is seen to on a thread of its own.
 */
final class LeaseRenewer implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);

  /** When Redis is down: soon, so that leases are extended before somebody sweeps. */
  private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

  private final ServerConfig config;
  private final Broker broker;
  private final AttemptRegistry attempts;
  private final ShardTopology shards;
  private final Runnable ping;
  private final ServerPresence presence;
  private final ShardedRunner extending;
  private final AtomicBoolean showing = new AtomicBoolean();
  private final WakeupSignal signal = new WakeupSignal();
  private final HealthTracker vitals;
  private final Consumer<LinkageError> fatal;
  private volatile Map<QueueName, List<Attempt>> running = Map.of();
  private volatile boolean stopped;
  private volatile boolean beatNow;
  private volatile boolean failedForGood;

  /**
   * @param ping follows the clock of Redis
   * @param vitals is told of each heartbeat
   * @param fatal is told when no heartbeat can ever work, since a library does not fit
   */
  LeaseRenewer(
      ServerConfig config,
      Broker broker,
      AttemptRegistry attempts,
      ShardTopology shards,
      Runnable ping,
      ServerPresence presence,
      HealthTracker vitals,
      Consumer<LinkageError> fatal) {
    this.config = config;
    this.broker = broker;
    this.attempts = attempts;
    this.shards = shards;
    this.ping = ping;
    this.presence = presence;
    this.vitals = vitals;
    this.fatal = fatal;
    this.extending = new ShardedRunner("heartbeat", shards, AFTER_FAILURE, this::extend);
    // Whoever noticed it, the keeper tries from then on until Redis is back.
    shards.outages().onStart(this::showSoon);
  }

  @Override
  public void run() {
    long nextBeat = System.nanoTime();
    while (!stopped) {
      long now = System.nanoTime();
      if (beatNow || now - nextBeat >= 0) {
        beatNow = false;
        nextBeat = now + (beat() ? config.heartbeat() : AFTER_FAILURE).toNanos();
      }
      signal.await(Math.max(1, nextBeat - System.nanoTime()));
    }
    presence.hide();
  }

  private boolean beat() {
    boolean extended = isDone("", this::extendAll);
    String shared = shards.ofSharedKeys();
    if (!shared.isEmpty()) {
      showElsewhere(shared);
      return extended;
    }
    if (!extended && shards.outages().isDown(shared)) {
      // The same server: to ask it for more would only delay the next try.
      return false;
    }
    // Whatever becomes of the clock, the server is shown.
    boolean followed = isDone(shared, ping);
    boolean shown = isDone(shared, presence::show);
    if (extended && followed && shown) {
      shards.outages().worked(shared);
      vitals.beat();
      return true;
    }
    return false;
  }

  private boolean isDone(String shard, Runnable part) {
    try {
      part.run();
      return true;
    } catch (BrokerException e) {
      if (!shards.outages().failed(shard, e)) {
        log.warn("the heartbeat failed and is repeated", e);
      }
    } catch (LinkageError e) {
      shards.outages().failed(shard, e);
      failForGood(e);
      return true;
    } catch (RuntimeException | Error e) {
      shards.outages().failed(shard, e);
      log.error("the heartbeat failed and is repeated", e);
    }
    return false;
  }

  private void failForGood(LinkageError e) {
    if (!failedForGood) {
      fatal.accept(e);
      failedForGood = true;
    }
  }

  /** On another thread, since no lease must wait for a server that is silent. */
  private void showElsewhere(String shared) {
    if (showing.compareAndSet(false, true)) {
      try {
        shards
            .threads()
            .execute(
                () -> {
                  try {
                    boolean followed = isDone(shared, ping);
                    if (isDone(shared, presence::show) && followed) {
                      shards.outages().worked(shared);
                      vitals.beat();
                    }
                  } finally {
                    showing.set(false);
                  }
                });
      } catch (RuntimeException | Error e) {
        showing.set(false);
        throw e;
      }
    }
  }

  private void extendAll() {
    Map<QueueName, List<Attempt>> byQueue = new HashMap<>();
    for (Attempt attempt : attempts.all()) {
      byQueue.computeIfAbsent(attempt.queue(), any -> new ArrayList<>()).add(attempt);
    }
    running = byQueue;
    extending.each(byQueue.keySet());
  }

  private boolean extend(QueueName queue) {
    List<Attempt> ofQueue = running.getOrDefault(queue, List.of());
    List<Claim> claims = ofQueue.stream().map(Attempt::claim).toList();
    List<@Nullable Instant> ends;
    try {
      ends = broker.leases().extend(queue, claims, config.lease());
    } catch (LinkageError e) {
      // Where each server has its lane, this is not on the thread of the heartbeat.
      failForGood(e);
      throw e;
    }
    for (int i = 0; i < ofQueue.size(); i++) {
      Attempt attempt = ofQueue.get(i);
      // One that has just been settled has no lease any more, and none to lose.
      if (ends.get(i) == null && !attempt.isDecided()) {
        attempt.leaseLost();
      }
    }
    return !claims.isEmpty();
  }

  /** Now, and not only at the next beat: the state of the server has changed. */
  void showSoon() {
    beatNow = true;
    signal.raise();
  }

  void stop() {
    stopped = true;
    signal.raise();
  }
}
