package io.asynq4j.cli.cron;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the tasks that schedule entries have enqueued. */
@Command(
    name = "history",
    description =
        "List the tasks that entries have enqueued, newest first. Redis keeps the last 1000 per entry.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq cron history nightly-report",
      "  asynq cron history nightly-report --page 1 --size 10 --json"
    })
final class CronHistoryCommand extends ReadOnlyCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ENTRY",
      description = "ID of the schedule entry (repeatable).")
  private List<String> entries = List.of();

  @Option(
      names = "--page",
      paramLabel = "N",
      description = "Page to show, counted from 1. Default: ${DEFAULT-VALUE}.")
  private int page = 1;

  @Option(
      names = "--size",
      paramLabel = "N",
      description = "Number of events per page. Default: ${DEFAULT-VALUE}.")
  private int size = 30;

  private record Event(String entry, ScheduleEvent event) {}

  @Override
  protected void check() {
    if (page < 1 || size < 1) {
      throw CliException.usage("--page and --size must be 1 or greater", null);
    }
  }

  @Override
  protected int run(Session session) {
    Instant now = session.now();
    List<Event> events = new ArrayList<>();
    int from = Math.multiplyExact(page - 1, size);
    for (String entry : entries) {
      List<ScheduleEvent> found = session.inspector().scheduleHistory(entry, from, size);
      if (found.isEmpty()
          && page == 1
          && session.inspector().schedules().stream().noneMatch(one -> one.id().equals(entry))) {
        throw CliException.notFound(
            "Schedule entry " + entry + " does not exist",
            "Run 'asynq cron list' to list all entries.");
      }
      found.forEach(event -> events.add(new Event(entry, event)));
    }
    session
        .printer()
        .list(
            events,
            List.of(
                Column.of("Entry", "entry", Event::entry),
                Column.<Event>of("Task", "task", each -> each.event().taskId())
                    .shownAs(
                        each ->
                            each.event().problem() == null
                                ? each.event().taskId()
                                : "(unreadable)"),
                Column.<Event>of("Enqueued", "enqueued_at", each -> each.event().enqueuedAt())
                    .shownAs(each -> TimeFormatter.full(each.event().enqueuedAt(), now)),
                Column.data("problem", each -> each.event().problem())),
            page == 1 ? "No tasks enqueued yet." : "No tasks on this page.");
    return ExitCode.DONE;
  }
}
