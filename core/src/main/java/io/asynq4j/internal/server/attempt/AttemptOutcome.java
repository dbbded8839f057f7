package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.server.ServerListener.Ending;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of a task after an attempt.
 *
 * @param failed whether the handler failed, so that the operator wants to know why; false when it
 *     was asked to stop, is missing, or what it threw does not count as a failure
 */
public record AttemptOutcome(
    Ending ending, Settlement settlement, @Nullable Throwable error, boolean failed) {

  public AttemptOutcome(Ending ending, Settlement settlement, @Nullable Throwable error) {
    this(ending, settlement, error, /* failed= */ false);
  }

  AttemptOutcome asNoFailure() {
    return new AttemptOutcome(ending, settlement, error);
  }
}
