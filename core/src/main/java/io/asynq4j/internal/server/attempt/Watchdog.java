package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.concurrent.Actor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels handlers at their deadline and reports those that do not stop. Runs on one thread, which
 * never waits for Redis: timeouts also apply while Redis is unreachable.
 */
public final class Watchdog extends Actor {

  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private static final Duration CHECK = Duration.ofMillis(100);

  /** Interval while nothing runs; an attempt with a short time limit ends the wait. */
  public static final Duration REST = Duration.ofMillis(500);

  private final AttemptRegistry attempts;
  private final Runnable others;
  private final Duration rest;
  private volatile boolean resting;

  /**
   * @param others further checks of each round; must not block
   * @param rest the interval while nothing runs
   */
  public Watchdog(AttemptRegistry attempts, Runnable others, Duration rest) {
    super("asynq-watchdog", new WakeupSignal());
    this.attempts = attempts;
    this.others = others;
    this.rest = rest;
    attempts.onBrief(this::endRest);
  }

  private void endRest() {
    if (resting) {
      signal.raise();
    }
  }

  @Override
  public void run() {
    while (!isStopped()) {
      long nanos = System.nanoTime();
      attempts.all().forEach(attempt -> check(attempt, nanos));
      attempts.lingering().forEach(attempt -> check(attempt, nanos));
      others.run();
      resting = attempts.isEmpty();
      // Checked again, since an attempt added before was not announced.
      signal.await((resting && attempts.isEmpty() ? rest : CHECK).toNanos());
      resting = false;
    }
  }

  private static void check(Attempt attempt, long nanos) {
    try {
      attempt.check(nanos);
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not check an attempt; retrying", e);
    }
  }
}
