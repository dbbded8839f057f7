package io.asynq4j.internal.server.settle;

import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.server.attempt.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * A decided attempt that waits to be settled.
 *
 * @param attempt null for a task that was claimed and not attempted
 */
record PendingSettlement(@Nullable Attempt attempt, AppliedOutcome applied) {

  /** Returns whether one call can apply both. */
  boolean isLike(PendingSettlement other) {
    Settlement mine = applied.settlement();
    Settlement others = other.applied.settlement();
    return mine.getClass() == others.getClass() && mine.leavesNothing() == others.leavesNothing();
  }
}
