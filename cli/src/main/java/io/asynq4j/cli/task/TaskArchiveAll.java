package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;

/** Archives all tasks of a queue in one state, or those that filters want. */
@Command(
    name = "archiveall",
    description = {
      "Archives all tasks of a queue in one state, or those that filters want.",
      "STATE is pending, aggregating, scheduled, retry or completed.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task archiveall --queue mail --state retry --dry-run",
      "  asynq task archiveall -q mail -s pending --type 'report:*' --yes"
    })
final class TaskArchiveAll extends BulkOfState {

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
  OptionalLong applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return OptionalLong.of(inspector.archiveAll(name, state(), progress));
  }
}
