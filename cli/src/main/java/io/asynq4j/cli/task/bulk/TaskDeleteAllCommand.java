package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.Session;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import java.util.Optional;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes all tasks of a queue in one state, or those that match the filters. */
@Command(
    name = "deleteall",
    description = {
      "Delete all tasks of a queue in one state, or those that match the filters.",
      "The command counts the tasks and asks for confirmation first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task deleteall --queue mail --state archived --older-than 30d --yes",
      "  asynq task deleteall -q mail -s completed --dry-run"
    })
public final class TaskDeleteAllCommand extends GroupBulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = StateCandidates.OfDelete.class,
      description = "State of the tasks: ${COMPLETION-CANDIDATES}.")
  private TaskState state = TaskState.PENDING;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  TaskAction action() {
    return TaskAction.DELETE;
  }

  @Override
  String verb() {
    return "Delete";
  }

  @Override
  BulkReport apply(Session session, Selection selection) {
    return selection.delete();
  }

  @Override
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return reportOf(inspector.queue(name).deleteAll(state, progress));
  }
}
