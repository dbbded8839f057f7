package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.ProcessTimeOptions;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives many tasks another time to run. */
@Command(
    name = "rescheduleall",
    description = {
      "Change the due time of all tasks of a queue in one state, or of those that match the filters.",
      "Requires --at or --in. The command counts the tasks and asks for confirmation first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task rescheduleall -q mail -s retry --error timeout --in 1h --yes",
      "  asynq task rescheduleall -q mail -s archived --at 2099-01-31T08:00:00Z --dry-run"
    })
public final class TaskRescheduleAllCommand extends BulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = StateCandidates.OfReschedule.class,
      description = "State of the tasks: ${COMPLETION-CANDIDATES}.")
  private TaskState state = TaskState.PENDING;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ProcessTimeOptions when;

  @Override
  protected void check() {
    super.check();
    when.requireOne();
  }

  @Override
  TaskState state() {
    return state;
  }

  @Override
  TaskAction action() {
    return TaskAction.RESCHEDULE;
  }

  @Override
  String verb() {
    return "Reschedule";
  }

  @Override
  BulkReport apply(Session session, Selection selection) {
    return selection.reschedule(when.from(session.now()));
  }
}
