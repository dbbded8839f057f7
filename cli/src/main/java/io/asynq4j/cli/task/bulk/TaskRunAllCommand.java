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

/** Makes all tasks of a queue in one state pending, or those that filters want. */
@Command(
    name = "runall",
    description = {
      "Makes all tasks of a queue in one state pending, or those that filters want.",
      "STATE is scheduled, retry, archived, completed or aggregating.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task runall --queue mail --state archived --error timeout --dry-run",
      "  asynq task runall -q mail -s retry --yes"
    })
public final class TaskRunAllCommand extends BulkByStateCommand {

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
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return reportOf(inspector.runAll(name, state(), progress));
  }
}
