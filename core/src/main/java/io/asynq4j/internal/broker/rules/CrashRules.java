package io.asynq4j.internal.broker.rules;

import java.time.Duration;

/**
 * Recovery of a task whose worker vanished: pending at once after the first crash, after a growing
 * delay from the second, and archived at {@code maxCrashes}.
 *
 * @param maxCrashes the crash at which it is archived
 * @param delay before the attempt after the second crash; it doubles with each further one
 * @param goGrace extra time for a Go worker after its lease has expired
 */
public record CrashRules(int maxCrashes, Duration delay, Duration goGrace) {

  public static final CrashRules DEFAULT =
      new CrashRules(3, Duration.ofSeconds(30), Duration.ofSeconds(30));

  public CrashRules {
    if (maxCrashes < 1) {
      throw new IllegalArgumentException("maxCrashes must be 1 or greater, got " + maxCrashes);
    }
    if (delay.isNegative() || goGrace.isNegative()) {
      throw new IllegalArgumentException(
          "delay and goGrace must be 0 or greater, got " + delay + ", " + goGrace);
    }
  }
}
