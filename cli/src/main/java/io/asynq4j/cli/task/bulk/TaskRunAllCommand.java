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

/** Makes all tasks of a queue in one state pending, or those that match the filters. */
@Command(
    name = "runall",
    description = {
      "Run all tasks of a queue in one state now, or those that match the filters.",
      "They become pending. The command counts the tasks and asks for confirmation first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task runall --queue mail --state archived --error timeout --dry-run",
      "  asynq task runall -q mail -s retry --yes"
    })
public final class TaskRunAllCommand extends GroupBulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = StateCandidates.OfRun.class,
      description = "State of the tasks: ${COMPLETION-CANDIDATES}.")
  private TaskState state = TaskState.PENDING;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  TaskAction action() {
    return TaskAction.RUN;
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
  BulkReport apply(Session session, Selection selection) {
    return selection.run();
  }

  @Override
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return reportOf(inspector.queue(name).runAll(state, progress));
  }
}
