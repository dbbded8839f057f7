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

  /** While nothing runs; of attempts that have little more time than this it is told. */
  private static final Duration REST = Duration.ofMillis(500);

  private final Broker broker;
  private final Attempts attempts;
  private final Duration rest;
  private final Signal signal = new Signal();
  private volatile boolean stopped;
  private volatile boolean resting;

  Watchdog(Broker broker, Attempts attempts) {
    this(broker, attempts, REST);
  }

  Watchdog(Broker broker, Attempts attempts, Duration rest) {
    this.broker = broker;
    this.attempts = attempts;
    this.rest = rest;
    attempts.onBrief(this::restNoMore);
  }

  /** Nothing while it looks often anyway. */
  private void restNoMore() {
    if (resting) {
      signal.raise();
    }
  }

  @Override
  public void run() {
    while (!stopped) {
      Instant instant = broker.clock().instant();
      long nanos = System.nanoTime();
      attempts.all().forEach(attempt -> check(attempt, instant, nanos));
      attempts.lingering().forEach(attempt -> check(attempt, instant, nanos));
      resting = attempts.isEmpty();
      // Asked again, since nobody has told of one that came before.
      signal.await((resting && attempts.isEmpty() ? rest : LOOK).toNanos());
      resting = false;
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
