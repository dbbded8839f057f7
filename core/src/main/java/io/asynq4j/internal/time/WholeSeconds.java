package io.asynq4j.internal.time;

import java.time.Duration;

/** Conversion to the whole seconds of the protocol. */
public final class WholeSeconds {

  private WholeSeconds() {}

  public static Duration roundUp(Duration duration) {
    return Duration.ofSeconds(ceil(duration));
  }

  /** Rounds up; limited to the largest number. */
  public static long ceil(Duration duration) {
    long seconds = duration.getSeconds();
    return duration.getNano() == 0 || seconds == Long.MAX_VALUE ? seconds : seconds + 1;
  }
}
