package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.task.option.TaskStateCandidates;
import picocli.CommandLine.Option;

/** A bulk command for tasks in the state that is named. */
abstract class BulkByStateCommand extends BulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = TaskStateCandidates.class,
      description = "The state that they are in.")
  private TaskState state = TaskState.PENDING;

  @Override
  final TaskState state() {
    return state;
  }
}
