package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes all tasks of a queue in one state pending, or those that filters want. */
@Command(
    name = "runall",
    description = {
      "Makes all tasks of a queue in one state pending, or those that filters want.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task runall --queue mail --state archived --error timeout --dry-run",
      "  asynq task runall -q mail -s retry --yes"
    })
final class TaskRunAll extends BulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      description = "scheduled, retry, archived, completed or aggregating.")
  private TaskState state = TaskState.PENDING;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  Set<TaskState> states() {
    return EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.PENDING));
  }

  @Override
  String verb() {
    return "Run";
  }

  @Override
  String done() {
    return "made pending";
  }

  @Override
  BulkReport apply(Selection selection) {
    return selection.run();
  }

  @Override
  long applyToAll(Inspector inspector, String name) {
    return inspector.runAll(name, state);
  }
}
