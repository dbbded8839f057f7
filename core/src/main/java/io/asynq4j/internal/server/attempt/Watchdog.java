package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after handlers whose time is up, and those that do not stop when asked to. One thread,
 * which never waits for Redis: a timeout holds also while Redis is down.
 */
public final class Watchdog implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private static final Duration LOOK = Duration.ofMillis(100);

  /** While nothing runs; of attempts that have little more time than this it is told. */
  private static final Duration REST = Duration.ofMillis(500);

  private final AttemptRegistry attempts;
  private final Runnable others;
  private final Duration rest;
  private final WakeupSignal signal = new WakeupSignal();
  private volatile boolean stopped;
  private volatile boolean resting;

  /**
   * @param others what else is to be looked at each time; must not wait for anything
   */
  public Watchdog(AttemptRegistry attempts, Runnable others) {
    this(attempts, others, REST);
  }

  Watchdog(AttemptRegistry attempts, Runnable others, Duration rest) {
    this.attempts = attempts;
    this.others = others;
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
      long nanos = System.nanoTime();
      attempts.all().forEach(attempt -> check(attempt, nanos));
      attempts.lingering().forEach(attempt -> check(attempt, nanos));
      others.run();
      resting = attempts.isEmpty();
      // Asked again, since nobody has told of one that came before.
      signal.await((resting && attempts.isEmpty() ? rest : LOOK).toNanos());
      resting = false;
    }
  }

  private static void check(Attempt attempt, long nanos) {
    try {
      attempt.check(nanos);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not look after an attempt; that is tried again", e);
    }
  }

  public void stop() {
    stopped = true;
    signal.raise();
  }
}
