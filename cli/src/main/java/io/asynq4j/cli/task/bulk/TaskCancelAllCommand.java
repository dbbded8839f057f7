package io.asynq4j.cli.task.bulk;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.AfterCancelCandidates;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Cancels all active tasks of a queue, or those that match the filters. */
@Command(
    name = "cancelall",
    description = {
      "Cancel all active tasks of a queue, or those that match the filters.",
      "The command counts the tasks and asks for confirmation first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task cancelall -q mail --type 'report:*' --dry-run",
      "  asynq task cancelall -q mail --then archive --yes"
    })
public final class TaskCancelAllCommand extends BulkCommand {

  @Option(
      names = "--then",
      paramLabel = "ACTION",
      completionCandidates = AfterCancelCandidates.class,
      description =
          "What to do with a task whose handler returns no outcome in time: retry, archive or delete."
              + " Default: retry.")
  private AfterCancel then = AfterCancel.RETRY;

  @Override
  TaskState state() {
    return TaskState.ACTIVE;
  }

  @Override
  TaskAction action() {
    return TaskAction.CANCEL;
  }

  @Override
  String verb() {
    return "Cancel";
  }

  @Override
  BulkReport apply(Session session, Selection selection) {
    return selection.cancel(then);
  }
}
