package io.asynq4j.server;

import io.asynq4j.BrokerUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Redis can be reached, as the actors of a server notice it: one line in the log when an
 * outage begins, and one when it ends.
 */
final class Outages {

  private static final Logger log = LoggerFactory.getLogger(Outages.class);

  private record Outage(long since, Throwable cause) {}

  private final ServerListener events;
  private final AtomicReference<@Nullable Outage> current = new AtomicReference<>();
  private volatile Runnable startListener = () -> {};
  private volatile long lastEnd;
  private volatile boolean anyEnded;

  Outages(ServerListener events) {
    this.events = events;
  }

  /**
   * Something went wrong with a call to Redis; true when it is an outage, else it is to be told.
   */
  boolean failed(Throwable error) {
    if (!(error instanceof BrokerUnavailableException)) {
      return false;
    }
    if (current.get() == null
        && current.compareAndSet(null, new Outage(System.nanoTime(), error))) {
      log.warn("Redis cannot be reached, the server waits for it: {}", error.getMessage());
      events.outageStarted(error);
      startListener.run();
    }
    return true;
  }

  /** Has something called whenever an outage begins. Must be quick. */
  void onStart(Runnable listener) {
    startListener = listener;
  }

  /** A call to Redis has worked: only to be told by who has really made one. */
  void worked() {
    Outage outage = current.get();
    if (outage != null && current.compareAndSet(outage, null)) {
      lastEnd = System.nanoTime();
      anyEnded = true;
      Duration lasted = Duration.ofNanos(lastEnd - outage.since());
      log.info("Redis is back after {} s", lasted.toMillis() / 1000.0);
      events.outageEnded(lasted);
    }
  }

  boolean isDown() {
    return current.get() != null;
  }

  /** Whether an outage lasts, or has ended so short a time ago. */
  boolean isRecent(Duration time) {
    return isDown() || (anyEnded && System.nanoTime() - lastEnd < time.toNanos());
  }
}
