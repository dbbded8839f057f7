package io.asynq4j.cli.task;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.Printer;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.cli.task.option.TaskLocation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Shows all data of a task. */
@Command(
    name = "inspect",
    description = "Show details of a task, including its payload, result and failures.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task inspect --queue mail --id welcome-42",
      "  asynq task inspect welcome-42 --json"
    })
final class TaskInspectCommand extends TaskDetailCommand {

  @Override
  void show(Session session, TaskLocation ref) {
    TaskInfo task = session.inspector().queue(ref.queue()).task(ref.id());
    Printer printer = session.printer();
    List<Column<TaskInfo>> columns =
        new ArrayList<>(new TaskColumns(session.now()).all(printer.colors()));
    List<FailedAttempt> failures = session.inspector().queue(ref.queue()).failures(ref.id());
    columns.add(
        Column.<TaskInfo>of("Failures", "failures", any -> objects(failures))
            .shownAs(any -> words(failures, session.now())));
    printer.detail(task, columns);
  }

  private static @Nullable Object objects(List<FailedAttempt> failures) {
    return failures.isEmpty()
        ? null
        : failures.stream()
            .map(each -> Map.of("at", each.at(), "error", each.error(), "trace", each.trace()))
            .toList();
  }

  /** Latest failure first, and only the latest one with its stack trace. */
  private static String words(List<FailedAttempt> failures, Instant now) {
    StringBuilder words = new StringBuilder();
    for (int i = failures.size() - 1; i >= 0; i--) {
      FailedAttempt each = failures.get(i);
      words
          .append(TimeFormatter.full(each.at(), now))
          .append("  ")
          .append(each.error())
          .append('\n');
      if (i == failures.size() - 1 && !each.trace().isBlank()) {
        words.append(each.trace().strip().replace("\t", "  ").indent(2));
      }
    }
    return words.toString().stripTrailing();
  }
}
