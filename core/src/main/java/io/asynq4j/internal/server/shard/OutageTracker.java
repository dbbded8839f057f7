package io.asynq4j.internal.server.shard;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.server.config.ServerListeners;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which Redis servers are unreachable, as reported by the actors of a server. Logs one line
 * when an outage begins, and one when it ends. With one server for all queues, its name is empty.
 * Listeners get one outage that lasts while any server is unreachable. Thread-safe.
 */
public final class OutageTracker {

  private static final Logger log = LoggerFactory.getLogger(OutageTracker.class);

  private final ServerListeners listeners;
  private final HealthTracker health;
  private final Map<String, Long> downSince = new HashMap<>();
  private final Map<String, Long> endedAt = new HashMap<>();
  private volatile boolean anyDown;
  private volatile Runnable startListener = () -> {};
  private long firstSince;

  /**
   * @param health records each failure
   */
  public OutageTracker(ServerListeners listeners, HealthTracker health) {
    this.listeners = listeners;
    this.health = health;
  }

  /**
   * Records a failure, usually of a call to a Redis server. Returns true if it is an outage;
   * otherwise the caller has to log it.
   */
  public boolean failed(String shard, Throwable error) {
    health.failed(error);
    if (!(error instanceof BrokerUnavailableException)) {
      return false;
    }
    boolean first;
    synchronized (this) {
      long now = System.nanoTime();
      if (downSince.putIfAbsent(shard, now) != null) {
        return true;
      }
      first = !anyDown;
      firstSince = first ? now : firstSince;
      anyDown = true;
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
    if (anyDown) {
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
      anyDown = false;
      all = Duration.ofNanos(now - firstSince);
    }
    listeners.publish(listener -> listener.outageEnded(all));
  }

  /** Removes servers that no longer have queues, for example after a failover. */
  public void retain(Collection<String> shards) {
    if (anyDown) {
      Set<String> gone;
      synchronized (this) {
        endedAt.keySet().retainAll(shards);
        gone = Set.copyOf(downSince.keySet());
      }
      gone.stream().filter(shard -> !shards.contains(shard)).forEach(this::ended);
    }
  }

  public synchronized boolean isDown(String shard) {
    return downSince.containsKey(shard);
  }

  /** Returns whether an outage lasts, or ended within this time. */
  public synchronized boolean isRecent(String shard, Duration time) {
    Long ended = endedAt.get(shard);
    return isDown(shard) || (ended != null && System.nanoTime() - ended < time.toNanos());
  }
}
