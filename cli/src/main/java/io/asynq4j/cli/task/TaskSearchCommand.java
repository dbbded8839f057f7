package io.asynq4j.cli.task;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.command.ShutdownSignal;
import io.asynq4j.cli.output.ProgressBar;
import io.asynq4j.cli.task.option.TaskFilterOptions;
import io.asynq4j.cli.task.option.TaskStateCandidates;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.TaskPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Searches tasks in all queues and states. */
@Command(
    name = "search",
    aliases = "find",
    description = {
      "Search tasks in all queues and states.",
      "Redis has no index of tasks, so a search scans them in small, non-blocking steps."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task search --error 'connection refused'",
      "  asynq task search -q mail -s archived --type 'email:*' --older-than 1h",
      "  asynq task search --payload '$.user=42' --limit 5 --json",
      "  asynq task search --header tenant=acme --output csv"
    })
final class TaskSearchCommand extends ReadOnlyCommand {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Search only this queue (repeatable). Default: all queues.")
  private List<String> queues = List.of();

  @Option(
      names = {"-s", "--state"},
      paramLabel = "STATE",
      completionCandidates = TaskStateCandidates.class,
      description = "Search only this state (repeatable). Default: all states.")
  private List<TaskState> states = List.of();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of tasks to return. Default: ${DEFAULT-VALUE}.")
  private int limit = 30;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskFilterOptions filters;

  @Override
  protected void check() {
    if (limit < 1) {
      throw CliException.usage("--limit must be 1 or greater, got " + limit, null);
    }
    filters.filter();
  }

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    List<TaskInfo> found = new ArrayList<>();
    long looked = 0;
    boolean complete = true;
    try (ProgressBar bar = session.progress();
        ShutdownSignal interruption = ShutdownSignal.watch()) {
      for (String queue : queues.isEmpty() ? inspector.queues() : queues) {
        for (TaskState state : states.isEmpty() ? Arrays.asList(TaskState.values()) : states) {
          if (found.size() == limit || interruption.isAsked()) {
            complete = false;
            continue;
          }
          bar.show("Searching " + queue, looked, 0);
          TaskPage page = search(inspector, queue, state, limit - found.size(), interruption);
          found.addAll(page.tasks());
          looked += page.looked();
          complete &= page.cursor() == null;
        }
      }
    }
    session.printer().list(found, new TaskColumns(session.now()).search(), "No matching tasks.");
    session
        .printer()
        .line(
            "%,d found in %,d scanned tasks%s"
                .formatted(
                    found.size(),
                    looked,
                    complete ? "" : ". The search is incomplete: raise --limit to continue"));
    return ExitCode.DONE;
  }

  private TaskPage search(
      Inspector inspector, String queue, TaskState state, int most, ShutdownSignal interruption) {
    try {
      return inspector
          .queue(queue)
          .select(state)
          .where(filters.filter())
          .stopWhen(interruption::isAsked)
          .find(most);
    } catch (QueueNotFoundException e) {
      if (queues.contains(queue)) {
        throw e;
      }
      // It was removed in the meantime.
      return TaskPage.of(List.of(), 0, 0, null, List.of());
    }
  }
}
