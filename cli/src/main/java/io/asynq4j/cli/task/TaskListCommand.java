package io.asynq4j.cli.task;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.TaskStateCandidates;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.TaskPage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists one page of the tasks in one state. */
@Command(
    name = "list",
    aliases = "ls",
    description = {
      "List the tasks of a queue in one state.",
      "Archived and completed tasks are listed newest first, other tasks in the order in which they"
          + " run."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task list --queue mail --state pending",
      "  asynq task ls -q mail -s retry --page 2 --size 50",
      "  asynq task list -q mail -s aggregating -g digest",
      "  asynq task list -q mail -s archived --json"
    })
final class TaskListCommand extends ReadOnlyCommand {

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "Queue of the tasks.")
  private String queue = "";

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = TaskStateCandidates.class,
      description =
          "State of the tasks: active, pending, aggregating, scheduled, retry, archived or completed.")
  private TaskState state = TaskState.PENDING;

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "Group of the tasks. Required for --state aggregating.")
  private @Nullable String group;

  @Option(
      names = "--page",
      paramLabel = "N",
      description = "Page to show, counted from 1. Default: ${DEFAULT-VALUE}.")
  private int page = 1;

  @Option(
      names = "--size",
      paramLabel = "N",
      description = "Number of tasks per page. Default: ${DEFAULT-VALUE}.")
  private int size = 30;

  @Override
  protected void check() {
    if (page < 1 || size < 1) {
      throw CliException.usage("--page and --size must be 1 or greater", null);
    }
    if ((state == TaskState.AGGREGATING) != (group != null)) {
      throw CliException.usage(
          state == TaskState.AGGREGATING
              ? "--state aggregating needs --group"
              : "--group applies only to --state aggregating",
          "Pass --group with --state aggregating. Run 'asynq group list' to list the groups.");
    }
  }

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    PageRequest request = PageRequest.at(Math.multiplyExact(page - 1, size), size);
    TaskPage found =
        group == null
            ? inspector.queue(queue).tasks(state, request)
            : inspector.queue(queue).groupTasks(group, request);
    session
        .printer()
        .list(
            found.tasks(),
            new TaskColumns(session.now()).list(state),
            "No %s tasks %s queue %s."
                .formatted(state.word(), page == 1 ? "in" : "on this page of", queue));
    int from = request.offset();
    if (!found.tasks().isEmpty() && (from > 0 || found.total() > found.tasks().size())) {
      session
          .printer()
          .line(
              "%,d to %,d of %,d%s"
                  .formatted(
                      from + 1,
                      from + found.tasks().size(),
                      found.total(),
                      from + size < found.total() ? "; next page: --page " + (page + 1) : ""));
    }
    for (String id : found.unreadable()) {
      session.note("asynq: cannot read task " + id + "; run 'asynq doctor' for details");
    }
    return ExitCode.DONE;
  }
}
