package io.asynq4j.internal.server.shard;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Estimates how many servers compete for the same work, and computes a random delay so that not all
 * act at once. Thread-safe.
 */
public final class ContentionBackoff {

  private static final int FEW = 3;
  private static final int MOST = 100;
  private static final double LEARNING = 0.2;

  private int missed;

  /** Includes this server. */
  private double number = 1;

  /** Records that work may be available to all servers. */
  public synchronized void called() {
    missed++;
  }

  /** Records that this server got the work. */
  public synchronized void won() {
    if (missed > 0) {
      number += (missed - number) * LEARNING;
      missed = 0;
    }
  }

  /**
   * Returns the delay, since most servers would find nothing: zero if they are few. If they are
   * many, the delays are random, such that the first server acts after about one step.
   */
  public synchronized long pauseNanos(long stepNanos) {
    double others = Math.min(Math.max(number, missed), MOST) - FEW;
    return others <= 0 ? 0 : (long) (ThreadLocalRandom.current().nextDouble(others) * stepNanos);
  }
}
