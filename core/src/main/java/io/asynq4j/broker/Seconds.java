package io.asynq4j.broker;

import java.time.Duration;

/** Whole seconds, as the protocol has them. */
public final class Seconds {

  private Seconds() {}

  public static Duration roundUp(Duration duration) {
    return Duration.ofSeconds(ceil(duration));
  }

  public static long ceil(Duration duration) {
    return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
  }
}
