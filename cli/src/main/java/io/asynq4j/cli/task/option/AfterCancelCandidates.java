package io.asynq4j.cli.task.option;

import io.asynq4j.AfterCancel;
import io.asynq4j.cli.command.EnumCandidates;

/** Completion candidates of {@code --then}. */
public final class AfterCancelCandidates extends EnumCandidates {

  AfterCancelCandidates() {
    super(AfterCancel.values());
  }
}
