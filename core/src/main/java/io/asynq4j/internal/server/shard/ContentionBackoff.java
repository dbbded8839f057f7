package io.asynq4j.internal.server.shard;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How many servers run for the same work, as far as it has turned out, and how long one of them
 * waits so that not all come at once. Of one thread at a time.
 */
public final class ContentionBackoff {

  private static final int FEW = 3;
  private static final int MOST = 100;
  private static final double LEARNING = 0.2;

  private int missed;

  /** This one included. */
  private double number = 1;

  /** There may be something to get, for all alike. */
  public void called() {
    missed++;
  }

  /** This one got it. */
  public void won() {
    if (missed > 0) {
      number += (missed - number) * LEARNING;
      missed = 0;
    }
  }

  /**
   * How long to wait, since most would come in vain: not at all where they are few. Of many, each
   * waits at random, so long that the first is there after about one step.
   */
  public long pauseNanos(long stepNanos) {
    double others = Math.min(Math.max(number, missed), MOST) - FEW;
    return others <= 0 ? 0 : (long) (ThreadLocalRandom.current().nextDouble(others) * stepNanos);
  }
}
