package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Archives all tasks of a queue in one state, or those that filters want. */
@Command(
    name = "archiveall",
    description = {
      "Archives all tasks of a queue in one state, or those that filters want.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task archiveall --queue mail --state retry --dry-run",
      "  asynq task archiveall -q mail -s pending --type 'report:*' --yes"
    })
final class TaskArchiveAll extends BulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      description = "pending, aggregating, scheduled, retry or completed.")
  private TaskState state = TaskState.PENDING;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  Set<TaskState> states() {
    return EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.ARCHIVED));
  }

  @Override
  String verb() {
    return "Archive";
  }

  @Override
  String done() {
    return "archived";
  }

  @Override
  BulkReport apply(Selection selection) {
    return selection.archive();
  }

  @Override
  long applyToAll(Inspector inspector, String name) {
    return inspector.archiveAll(name, state);
  }
}
