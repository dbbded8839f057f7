package io.asynq4j.cli.task;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.frame.EnumCandidates;

/** What becomes of a cancelled task. */
final class AfterCancelCandidates extends EnumCandidates {

  AfterCancelCandidates() {
    super(AfterCancel.values());
  }
}
