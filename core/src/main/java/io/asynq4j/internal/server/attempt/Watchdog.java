package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.concurrent.Actor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels handlers at their deadline and reports those that do not stop. Runs on one thread, which
 * never waits for Redis: timeouts also apply while Redis is unreachable.
 */
public final class Watchdog extends Actor {

  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private static final String NOT_CHECKED = SafeLog.text("a watchdog check failed; retrying");

  private static final Duration CHECK = Duration.ofMillis(100);

  /** Interval while nothing runs; an attempt with a short time limit ends the wait. */
  public static final Duration REST = Duration.ofMillis(500);

  private final AttemptRegistry attempts;
  private final List<Runnable> others;
  private final Duration rest;
  private volatile boolean resting;
  private boolean failed;
  private boolean failedBefore;

  /**
   * @param others further checks of each round, which must not block; one that fails is repeated
   * @param rest the interval while nothing runs
   */
  public Watchdog(AttemptRegistry attempts, List<Runnable> others, Duration rest) {
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
      attempts.all().forEach(attempt -> attempt.check(nanos));
      attempts.lingering().forEach(attempt -> attempt.check(nanos));
      failedBefore = failed;
      failed = false;
      others.forEach(this::check);
      resting = attempts.isEmpty();
      // Checked again, since an attempt added before was not announced.
      signal.await((resting && attempts.isEmpty() ? rest : CHECK).toNanos());
      resting = false;
    }
  }

  /** Logs a failure only in the first of several rounds with failures. */
  private void check(Runnable check) {
    try {
      check.run();
    } catch (RuntimeException | Error e) {
      failed = true;
      if (!failedBefore) {
        SafeLog.error(log, NOT_CHECKED, e);
      }
    }
  }
}
