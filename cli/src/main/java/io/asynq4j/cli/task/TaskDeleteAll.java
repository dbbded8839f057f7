package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes all tasks of a queue in one state, or those that filters want. */
@Command(
    name = "deleteall",
    description = {
      "Deletes all tasks of a queue in one state, or those that filters want.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task deleteall --queue mail --state archived --older-than 30d --yes",
      "  asynq task deleteall -q mail -s completed --dry-run"
    })
final class TaskDeleteAll extends BulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      description = "any but active.")
  private TaskState state = TaskState.PENDING;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  Set<TaskState> states() {
    return EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE));
  }

  @Override
  String verb() {
    return "Delete";
  }

  @Override
  String done() {
    return "deleted";
  }

  @Override
  BulkReport apply(Selection selection) {
    return selection.delete();
  }

  @Override
  long applyToAll(Inspector inspector, String name) {
    return inspector.deleteAll(name, state);
  }
}
