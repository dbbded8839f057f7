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

/** What entries have enqueued. */
@Command(
    name = "history",
    description = "Shows what entries have enqueued, newest first; the newest thousand are kept.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq cron history nightly-report",
      "  asynq cron history nightly-report --page 1 --size 10 --json"
    })
final class CronHistoryCommand extends ReadOnlyCommand {

  @Parameters(arity = "1..*", paramLabel = "ENTRY", description = "The names of entries.")
  private List<String> entries = List.of();

  @Option(names = "--page", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}")
  private int page = 1;

  @Option(
      names = "--size",
      paramLabel = "N",
      description = "How many on a page. Default: ${DEFAULT-VALUE}")
  private int size = 30;

  private record Event(String entry, ScheduleEvent event) {}

  @Override
  protected void check() {
    if (page < 1 || size < 1) {
      throw CliException.usage("--page and --size count from 1", null);
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
            "there is no entry " + entry, "'asynq cron list' shows all entries");
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
            page == 1 ? "Nothing has been enqueued yet." : "Nothing is on this page.");
    return ExitCode.DONE;
  }
}
