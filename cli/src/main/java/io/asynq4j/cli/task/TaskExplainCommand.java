package io.asynq4j.cli.task;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Explanation;
import io.asynq4j.inspect.Reason;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** Explains why a task is not running. */
@Command(
    name = "explain",
    aliases = "why",
    description = "Explain why a task is not running.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq task explain later-7", "  asynq task why -q mail -i broken-1 --json"})
final class TaskExplainCommand extends TaskDetailCommand {

  @Override
  void show(Session session, TaskLocation ref) {
    Explanation explanation = session.inspector().queue(ref.queue()).explain(ref.id());
    session
        .printer()
        .detail(
            explanation,
            List.of(
                Column.of("Task", "id", each -> each.task().id()),
                Column.of("Queue", "queue", each -> each.task().queue().value()),
                Column.of("State", "state", each -> each.task().state().word()),
                Column.of("Why", "text", Explanation::text),
                Column.data(
                    "reasons",
                    each -> each.reasons().stream().map(TaskExplainCommand::kind).toList())));
  }

  /** {@code QueuePaused} as {@code queue_paused}. */
  private static String kind(Reason reason) {
    return reason
        .getClass()
        .getSimpleName()
        .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
        .toLowerCase(Locale.ROOT);
  }
}
