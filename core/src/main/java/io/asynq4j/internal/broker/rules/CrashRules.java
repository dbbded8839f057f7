package io.asynq4j.internal.broker.rules;

import java.time.Duration;

/**
 * What becomes of a task whose worker vanished: pending again the first time, after a growing delay
 * from the second, and archived when it has taken so many workers with it.
 *
 * @param maxCrashes the crash at which it is archived
 * @param delay before the attempt after the second crash; it doubles with each further one
 * @param goGrace how much longer than its lease a Go worker is given
 */
public record CrashRules(int maxCrashes, Duration delay, Duration goGrace) {

  public static final CrashRules DEFAULT =
      new CrashRules(3, Duration.ofSeconds(30), Duration.ofSeconds(30));

  public CrashRules {
    if (maxCrashes < 1) {
      throw new IllegalArgumentException("maxCrashes must be 1 or more: " + maxCrashes);
    }
    if (delay.isNegative() || goGrace.isNegative()) {
      throw new IllegalArgumentException(
          "delay and goGrace must not be negative: " + delay + ", " + goGrace);
    }
  }
}
