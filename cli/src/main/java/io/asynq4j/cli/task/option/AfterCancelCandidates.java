package io.asynq4j.cli.task.option;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.command.EnumCandidates;

/** What becomes of a cancelled task. */
public final class AfterCancelCandidates extends EnumCandidates {

  AfterCancelCandidates() {
    super(AfterCancel.values());
  }
}
