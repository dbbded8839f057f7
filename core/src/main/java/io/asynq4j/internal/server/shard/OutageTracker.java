package io.asynq4j.internal.server.shard;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.server.ServerListener;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which servers of Redis cannot be reached, as the actors of a server notice it: one line in the
 * log when an outage begins, and one when it ends. Where one server has all queues, its name is
 * empty. Listeners hear of one outage that lasts as long as any of them is away. Thread-safe.
 */
public final class OutageTracker {

  private static final Logger log = LoggerFactory.getLogger(OutageTracker.class);

  private final ServerListener events;
  private final HealthTracker vitals;
  private final Map<String, Long> downSince = new HashMap<>();
  private final Map<String, Long> endedAt = new HashMap<>();
  private volatile boolean anyDown;
  private volatile Runnable startListener = () -> {};
  private long firstSince;

  /**
   * @param vitals is told of each failure
   */
  public OutageTracker(ServerListener events, HealthTracker vitals) {
    this.events = events;
    this.vitals = vitals;
  }

  /**
   * Something went wrong, mostly with a call to a server of Redis; true when it is an outage, else
   * it is to be logged.
   */
  public boolean failed(String shard, Throwable error) {
    vitals.failed(error);
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
    log.warn(
        "Redis{} cannot be reached, the server waits for it: {}", named(shard), error.getMessage());
    if (first) {
      events.outageStarted(error);
    }
    startListener.run();
    return true;
  }

  private static String named(String shard) {
    return shard.isEmpty() ? "" : " at " + shard;
  }

  /** Has something called whenever an outage begins. Must be quick. */
  public void onStart(Runnable listener) {
    startListener = listener;
  }

  /** A call to a server has worked: only to be told by who has really made one. */
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
      log.info("Redis{} is back after {} s", named(shard), lasted.toMillis() / 1000.0);
      if (!downSince.isEmpty()) {
        return;
      }
      anyDown = false;
      all = Duration.ofNanos(now - firstSince);
    }
    events.outageEnded(all);
  }

  /** Forgets servers that no longer have anything, as after a failover. */
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

  /** Whether an outage lasts, or has ended so short a time ago. */
  public synchronized boolean isRecent(String shard, Duration time) {
    Long ended = endedAt.get(shard);
    return isDown(shard) || (ended != null && System.nanoTime() - ended < time.toNanos());
  }
}
