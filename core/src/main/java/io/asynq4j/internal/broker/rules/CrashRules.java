package io.asynq4j.internal.broker.rules;

import io.asynq4j.internal.codec.ArgumentValidator;
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
    ArgumentValidator.requireAtLeast(1, maxCrashes, "maxCrashes");
    ArgumentValidator.requireNotNegative(delay, "delay");
    ArgumentValidator.requireNotNegative(goGrace, "goGrace");
  }
}
