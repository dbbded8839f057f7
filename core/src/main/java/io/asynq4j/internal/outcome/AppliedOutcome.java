package io.asynq4j.internal.outcome;

import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * The outcome that is applied to a task, and the settlement that applies it.
 *
 * @param outcome with the delay, the text and the result that are stored
 * @param error why the attempt failed; null if it did not fail
 * @param failed whether to log a failure; false if the attempt was cancelled, its handler is
 *     missing, or the error does not count as a failure
 */
public record AppliedOutcome(
    Outcome outcome, Settlement settlement, @Nullable Throwable error, boolean failed) {

  /** Returns an outcome that is no failure. */
  static AppliedOutcome of(Outcome outcome, Settlement settlement) {
    return new AppliedOutcome(outcome, settlement, null, /* failed= */ false);
  }

  AppliedOutcome asNoFailure() {
    return new AppliedOutcome(outcome, settlement, error, /* failed= */ false);
  }
}
