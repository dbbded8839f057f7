package io.asynq4j.internal.server;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.concurrent.Actor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of all attempts in time, and registers the server as alive. Runs on one
 * thread, which ends last. With several Redis servers, the leases of each are extended on a
 * separate thread.
 */
final class LeaseRenewer extends Actor {

  private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);

  /** Short, so that after an outage leases are extended before a recoverer looks for them. */
  private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

  private final ServerConfig config;
  private final Broker broker;
  private final AttemptRegistry attempts;
  private final ShardTopology shards;
  private final Runnable ping;
  private final ServerPresence presence;
  private final ShardedRunner extending;
  private final AtomicBoolean showing = new AtomicBoolean();
  private final Consumer<LinkageError> fatal;
  private volatile Map<QueueName, List<Attempt>> running = Map.of();
  private volatile boolean beatNow;
  private volatile boolean serverEnded;

  /**
   * @param ping synchronizes the clock with Redis
   * @param fatal called when no heartbeat can ever succeed because of incompatible libraries
   */
  LeaseRenewer(
      ServerConfig config,
      Broker broker,
      AttemptRegistry attempts,
      ShardTopology shards,
      Runnable ping,
      ServerPresence presence,
      Consumer<LinkageError> fatal) {
    super("asynq-lease-renewer", new WakeupSignal());
    this.config = config;
    this.broker = broker;
    this.attempts = attempts;
    this.shards = shards;
    this.ping = ping;
    this.presence = presence;
    this.fatal = fatal;
    this.extending = new ShardedRunner("heartbeat", shards, AFTER_FAILURE, this::extend);
    // Whichever actor notices an outage, heartbeats are retried from then on until it is over.
    shards.outages().onStart(this::showSoon);
  }

  @Override
  public void run() {
    long nextBeat = System.nanoTime();
    while (!isStopped()) {
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
    boolean extended = succeeds("", this::extendAll);
    String shared = shards.ofSharedKeys();
    if (!shared.isEmpty()) {
      showElsewhere(shared);
      return extended;
    }
    if (!extended && shards.outages().isDown(shared)) {
      // It is the same server: more calls would only delay the next attempt.
      return false;
    }
    return show(shared, extended);
  }

  /** The server is shown even if the clock cannot be synchronized. */
  private boolean show(String shared, boolean extended) {
    boolean synchronizedClock = succeeds(shared, ping);
    boolean shown = succeeds(shared, presence::show);
    if (extended && synchronizedClock && shown) {
      shards.outages().worked(shared);
      shards.outages().beat();
      return true;
    }
    return false;
  }

  private boolean succeeds(String shard, Runnable part) {
    try {
      part.run();
      return true;
    } catch (BrokerException e) {
      if (!shards.outages().failed(shard, e)) {
        log.warn("the heartbeat failed; retrying", e);
      }
    } catch (LinkageError e) {
      shards.outages().failed(shard, e);
      endServer(e);
      return true;
    } catch (RuntimeException | Error e) {
      shards.outages().failed(shard, e);
      log.error("the heartbeat failed; retrying", e);
    }
    return false;
  }

  private void endServer(LinkageError e) {
    if (!serverEnded) {
      fatal.accept(e);
      serverEnded = true;
    }
  }

  /** Uses another thread: an unresponsive server must not delay the extension of leases. */
  private void showElsewhere(String shared) {
    if (showing.compareAndSet(false, true)) {
      try {
        shards
            .threads()
            .execute(
                () -> {
                  try {
                    show(shared, /* extended= */ true);
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
    running = attempts.byQueue(attempt -> true);
    extending.each(running.keySet());
  }

  private boolean extend(QueueName queue) {
    List<Attempt> ofQueue = running.getOrDefault(queue, List.of());
    List<Claim> claims = ofQueue.stream().map(Attempt::claim).toList();
    List<@Nullable Instant> ends;
    try {
      ends = broker.leases().extend(queue, claims, config.lease());
    } catch (LinkageError e) {
      // With several Redis servers, this is not the thread of the heartbeat.
      endServer(e);
      throw e;
    }
    for (int i = 0; i < ofQueue.size(); i++) {
      Attempt attempt = ofQueue.get(i);
      // An attempt that has just been settled has no lease to lose.
      if (ends.get(i) == null && !attempt.isDecided()) {
        attempt.leaseLost();
      }
    }
    return !claims.isEmpty();
  }

  /** Sends a heartbeat now, because the state of the server has changed. */
  void showSoon() {
    beatNow = true;
    signal.raise();
  }
}
