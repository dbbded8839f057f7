package io.asynq4j.server;

import io.asynq4j.broker.Broker;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after handlers whose time is up, and those that do not stop when asked to. One thread,
 * which never waits for Redis: a timeout holds also while Redis is down.
 */
final class Watchdog implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private static final Duration LOOK = Duration.ofMillis(100);

  private final Broker broker;
  private final Attempts attempts;
  private final Signal signal = new Signal();
  private volatile boolean stopped;

  Watchdog(Broker broker, Attempts attempts) {
    this.broker = broker;
    this.attempts = attempts;
  }

  @Override
  public void run() {
    while (!stopped) {
      Instant instant = broker.clock().instant();
      long nanos = System.nanoTime();
      attempts.all().forEach(attempt -> check(attempt, instant, nanos));
      attempts.lingering().forEach(attempt -> check(attempt, instant, nanos));
      signal.await(LOOK.toNanos());
    }
  }

  private static void check(Attempt attempt, Instant instant, long nanos) {
    try {
      attempt.check(instant, nanos);
    } catch (RuntimeException | Error e) {
      log.error("could not look after task {} of queue {}", attempt.id(), attempt.queue(), e);
    }
  }

  void stop() {
    stopped = true;
    signal.raise();
  }
}
