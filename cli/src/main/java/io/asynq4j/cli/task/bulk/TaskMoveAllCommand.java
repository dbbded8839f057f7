package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Selection;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves many tasks to another queue. */
@Command(
    name = "moveall",
    description = {
      "Moves all tasks of a queue in one state, or those that filters want, to another queue.",
      "STATE is pending, aggregating, scheduled, retry or archived.",
      "Counts them and asks before; --dry-run only counts."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task moveall -q mail -s pending --to slow --type 'report:*' --yes",
      "  asynq task moveall -q mail -s archived --to attic --dry-run"
    })
public final class TaskMoveAllCommand extends BulkByStateCommand {

  @Option(names = "--to", required = true, paramLabel = "QUEUE", description = "Where to.")
  private String to = "";

  @Override
  Set<TaskState> states() {
    return EnumSet.complementOf(EnumSet.of(TaskState.ACTIVE, TaskState.COMPLETED));
  }

  @Override
  String verb() {
    return "Move to queue " + to;
  }

  @Override
  String done() {
    return "moved to queue " + to;
  }

  @Override
  BulkReport apply(Selection selection) {
    return selection.moveTo(to);
  }
}
