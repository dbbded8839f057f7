package io.asynq4j.lease;

import io.asynq4j.handler.Outcome;
import java.util.Objects;

/** The outcome of an attempt at a leased task. Immutable. */
public record LeaseOutcome(LeasedTask task, Outcome outcome) {
  public LeaseOutcome {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(outcome, "outcome");
  }
}
