package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.Session;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves all tasks of a queue in one state, or those that match the filters. */
@Command(
    name = "moveall",
    description = {
      "Move all tasks of a queue in one state, or those that match the filters, to another queue.",
      "The command counts the tasks and asks for confirmation first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task moveall -q mail -s pending --to slow --type 'report:*' --yes",
      "  asynq task moveall -q mail -s archived --to attic --dry-run"
    })
public final class TaskMoveAllCommand extends GroupBulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = StateCandidates.OfMove.class,
      description = "State of the tasks: ${COMPLETION-CANDIDATES}.")
  private TaskState state = TaskState.PENDING;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "QUEUE",
      description = "Queue to move the tasks to.")
  private String to = "";

  @Override
  TaskState state() {
    return state;
  }

  @Override
  TaskAction action() {
    return TaskAction.MOVE;
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
  BulkReport apply(Session session, Selection selection) {
    return selection.moveTo(to);
  }
}
