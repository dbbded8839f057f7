package io.asynq4j.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

/**
 * What happens to instants that did not fire in time, because no scheduler ran or Redis was
 * unavailable. An instant fires at most once, however late. Immutable.
 */
public sealed interface MissedPolicy {

  /** Skips missed instants. The latest one still fires within the scheduler's grace time. */
  static MissedPolicy skip() {
    return new Skip();
  }

  /** Fires once for all missed instants, with the latest of them. */
  static MissedPolicy runOnce() {
    return new RunOnce();
  }

  /**
   * Fires all missed instants in order.
   *
   * @param most maximum number of instants, 1 to 100,000; only the latest ones fire
   */
  static MissedPolicy runAll(int most) {
    return new RunAll(most);
  }

  /** See {@link #skip}. */
  record Skip() implements MissedPolicy {}

  /** See {@link #runOnce}. */
  record RunOnce() implements MissedPolicy {}

  /** See {@link #runAll}. */
  record RunAll(int most) implements MissedPolicy {

    private static final int LIMIT = 100_000;

    public RunAll {
      requireBetween(1, LIMIT, most, "the maximum number of missed instants");
    }
  }
}
