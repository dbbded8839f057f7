package io.asynq4j.internal.server.shard;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.server.config.ServerListeners;
import io.asynq4j.server.ServerHealth;
import io.asynq4j.server.ServerState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which Redis servers are unreachable, as reported by the actors of a server, and when the
 * last heartbeat and the last error occurred. Logs one line when an outage begins, and one when it
 * ends. With one server for all queues, its name is empty. Listeners get one outage that lasts
 * while any server is unreachable. Thread-safe.
 */
public final class OutageTracker {

  private static final Logger log = LoggerFactory.getLogger(OutageTracker.class);

  private record Beat(Instant at, long nanos) {}

  private final ServerListeners listeners;
  private final Clock clock;
  private final Map<String, Long> downSince = new ConcurrentHashMap<>();
  private final Map<String, Long> endedAt = new ConcurrentHashMap<>();
  private volatile Runnable startListener = () -> {};
  private volatile @Nullable Beat lastBeat;
  private volatile ServerHealth.@Nullable Failure lastError;
  private long firstSince;

  public OutageTracker(ServerListeners listeners, Clock clock) {
    this.listeners = listeners;
    this.clock = clock;
  }

  /** Records that Redis has accepted a heartbeat. */
  public void beat() {
    lastBeat = new Beat(clock.instant(), System.nanoTime());
  }

  /**
   * Records a failure, usually of a call to a Redis server. Returns true if it is an outage;
   * otherwise the caller has to log it.
   */
  public boolean failed(String shard, Throwable error) {
    lastError = new ServerHealth.Failure(clock.instant(), error);
    if (!(error instanceof BrokerUnavailableException)) {
      return false;
    }
    boolean first;
    synchronized (this) {
      long now = System.nanoTime();
      first = downSince.isEmpty();
      if (downSince.putIfAbsent(shard, now) != null) {
        return true;
      }
      firstSince = first ? now : firstSince;
    }
    log.warn("Redis{} cannot be reached, the server retries: {}", named(shard), error.getMessage());
    if (first) {
      listeners.publish(listener -> listener.outageStarted(error));
    }
    startListener.run();
    return true;
  }

  private static String named(String shard) {
    return shard.isEmpty() ? "" : " at " + shard;
  }

  /** Registers a listener for the start of each outage. It must return quickly. */
  public void onStart(Runnable listener) {
    startListener = listener;
  }

  /** Records a successful call. To be called only after a real call to the server. */
  public void worked(String shard) {
    if (!downSince.isEmpty()) {
      ended(shard);
    }
  }

  private void ended(String shard) {
    Duration all;
    synchronized (this) {
      Long since = downSince.remove(shard);
      if (since == null) {
        return;
      }
      long now = System.nanoTime();
      endedAt.put(shard, now);
      Duration lasted = Duration.ofNanos(now - since);
      log.info("Redis{} is reachable again after {} s", named(shard), lasted.toMillis() / 1000.0);
      if (!downSince.isEmpty()) {
        return;
      }
      all = Duration.ofNanos(now - firstSince);
    }
    listeners.publish(listener -> listener.outageEnded(all));
  }

  /** Removes servers that no longer have queues, for example after a failover. */
  public void retain(Collection<String> shards) {
    if (!downSince.isEmpty()) {
      endedAt.keySet().retainAll(shards);
      downSince.keySet().stream().filter(shard -> !shards.contains(shard)).forEach(this::ended);
    }
  }

  public boolean isDown(String shard) {
    return downSince.containsKey(shard);
  }

  /** Returns whether an outage lasts, or ended within this time. */
  public synchronized boolean isRecent(String shard, Duration time) {
    Long ended = endedAt.get(shard);
    return isDown(shard) || (ended != null && System.nanoTime() - ended < time.toNanos());
  }

  public ServerHealth health(ServerState state, Duration lease) {
    Beat beat = lastBeat;
    boolean runs = state == ServerState.ACTIVE || state == ServerState.QUIET;
    return new ServerHealth(
        state,
        Optional.ofNullable(beat).map(Beat::at),
        Optional.ofNullable(lastError),
        runs && beat != null && System.nanoTime() - beat.nanos() < lease.toNanos());
  }
}
