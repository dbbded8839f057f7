package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.cli.frame.EnumCandidates;

/** The states of tasks. */
final class StateWords extends EnumCandidates {

  StateWords() {
    super(TaskState.values());
  }
}
