package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.cli.frame.Words;

/** The states of tasks. */
final class StateWords extends Words {

  StateWords() {
    super(TaskState.values());
  }
}
