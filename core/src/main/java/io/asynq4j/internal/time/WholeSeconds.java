package io.asynq4j.internal.time;

import java.time.Duration;

/** Whole seconds, as the protocol has them. */
public final class WholeSeconds {

  private WholeSeconds() {}

  public static Duration roundUp(Duration duration) {
    return Duration.ofSeconds(ceil(duration));
  }

  /** The most that there is, for one that is longer. */
  public static long ceil(Duration duration) {
    long seconds = duration.getSeconds();
    return duration.getNano() == 0 || seconds == Long.MAX_VALUE ? seconds : seconds + 1;
  }
}
