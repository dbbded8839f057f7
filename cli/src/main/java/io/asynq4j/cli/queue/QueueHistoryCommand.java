package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.OutputFormat;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.Inspector;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows daily counts of queues. */
@Command(
    name = "history",
    description = "Show the number of processed and failed attempts per day.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue history mail",
      "  asynq queue history mail default --days 30 --output csv",
      "  asynq queue history mail -x 7 --zone Europe/Berlin"
    })
final class QueueHistoryCommand extends ReadOnlyCommand {

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Name of the queue (repeatable).")
  private List<String> queues = List.of();

  @Option(
      names = {"-x", "--days"},
      paramLabel = "N",
      description = "Number of days to show, newest first. Default: ${DEFAULT-VALUE}.")
  private int days = 10;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description =
          "Time zone in which the start and end of each UTC day are shown, e.g. Europe/Berlin."
              + " Default: UTC.")
  private ZoneId zone = ZoneOffset.UTC;

  private record Day(String queue, DayCount count) {}

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    PerQueueRunner<List<Day>> each = new PerQueueRunner<>(session);
    List<Day> all =
        each
            .of(
                queues,
                name ->
                    inspector.queue(name).history(days, zone).stream()
                        .map(count -> new Day(name, count))
                        .toList())
            .stream()
            .flatMap(List::stream)
            .toList();
    if (all.isEmpty() && session.printer().format() == OutputFormat.TABLE) {
      // Errors were reported above.
      return each.exitCode();
    }
    session
        .printer()
        .list(
            all,
            List.of(
                Column.of("Queue", "queue", Day::queue),
                Column.<Day>of("Date", "from", day -> day.count().from().toOffsetDateTime())
                    .shownAs(this::date),
                Column.data("until", day -> day.count().until().toOffsetDateTime()),
                Column.count("Processed", "processed", day -> day.count().processed()),
                Column.count("Failed", "failed", day -> day.count().failed()),
                Column.<Day>count(
                        "Error rate",
                        "error_rate",
                        day ->
                            day.count().processed() == 0
                                ? null
                                : (Object)
                                    ((double) day.count().failed() / day.count().processed()))
                    .shownAs(
                        day ->
                            QueueColumns.errorRate(day.count().failed(), day.count().processed()))),
            "No data.");
    return each.exitCode();
  }

  private String date(Day day) {
    return zone.equals(ZoneOffset.UTC)
        ? day.count().date().toString()
        : "%s from %s".formatted(day.count().date(), day.count().from().toLocalDateTime());
  }
}
