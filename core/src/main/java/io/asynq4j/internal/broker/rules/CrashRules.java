package io.asynq4j.internal.broker.rules;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import java.time.Duration;

/**
 * Recovery of a task whose worker crashed: pending at once after the first crash, after a growing
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
    requireAtLeast(1, maxCrashes, "crashes.max");
    requireNotNegative(delay, "crashes.delay");
    requireNotNegative(goGrace, "crashes.goGrace");
  }

  /** What happens to a task whose worker crashed. */
  public enum Recovery {
    PENDING,
    RETRY,
    ARCHIVE,
    /** The ID had no task. */
    DROP
  }

  /** Returns what happens to a task after this many crashes in a row. */
  public Recovery after(int crashes) {
    if (crashes >= maxCrashes) {
      return Recovery.ARCHIVE;
    }
    return crashes == 1 ? Recovery.PENDING : Recovery.RETRY;
  }

  /** Returns the delay of the attempt after this many crashes in a row. */
  public Duration delayAfter(int crashes) {
    return crashes == 1 ? Duration.ZERO : delay.multipliedBy(1L << Math.min(crashes - 2, 16));
  }
}
