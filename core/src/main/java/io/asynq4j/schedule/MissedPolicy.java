package io.asynq4j.schedule;

/**
 * What becomes of instants that nobody fired when it was time: no scheduler ran, or Redis was down.
 * Immutable. However late, an instant is fired once at most.
 */
public sealed interface MissedPolicy {

  /** They are left out, but for the latest one when it is only a little late (the grace time). */
  static MissedPolicy skip() {
    return new Skip();
  }

  /** The latest of them is fired, however late, and stands for all. */
  static MissedPolicy runOnce() {
    return new RunOnce();
  }

  /** All are fired, in their order; of more than so many only the latest. */
  static MissedPolicy runAll(int most) {
    return new RunAll(most);
  }

  record Skip() implements MissedPolicy {}

  record RunOnce() implements MissedPolicy {}

  record RunAll(int most) implements MissedPolicy {

    private static final int LIMIT = 100_000;

    public RunAll {
      if (most < 1 || most > LIMIT) {
        throw new IllegalArgumentException(
            "how many missed instants are run at most must be 1 to " + LIMIT + ": " + most);
      }
    }
  }
}
