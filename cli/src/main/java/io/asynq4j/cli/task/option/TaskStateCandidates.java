package io.asynq4j.cli.task.option;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.EnumCandidates;

/** Completion candidates of {@code --state}. */
public final class TaskStateCandidates extends EnumCandidates {

  TaskStateCandidates() {
    super(TaskState.values());
  }
}
