package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;

/** Deletes all tasks of a queue in one state, or those that filters want. */
@Command(
    name = "deleteall",
    description = {
      "Deletes all tasks of a queue in one state, or those that filters want.",
      "STATE is any but active.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task deleteall --queue mail --state archived --older-than 30d --yes",
      "  asynq task deleteall -q mail -s completed --dry-run"
    })
public final class TaskDeleteAllCommand extends BulkByStateCommand {

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
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return reportOf(inspector.deleteAll(name, state(), progress));
  }
}
