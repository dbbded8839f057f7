package io.asynq4j.cli.cron;

import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.DecodedPayload;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.internal.text.DurationFormat;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Lists all schedule entries. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List the entries of all schedulers, including schedulers of asynq for Go.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq cron list", "  asynq cron ls --json"})
final class CronListCommand extends ReadOnlyCommand {

  @Override
  protected int run(Session session) {
    Instant now = session.now();
    List<ScheduleSnapshot> entries = session.inspector().schedules();
    session
        .printer()
        .list(
            entries,
            List.of(
                Column.of("Entry", "id", ScheduleSnapshot::id),
                Column.of("Spec", "spec", ScheduleSnapshot::spec),
                Column.<ScheduleSnapshot>of("State", "state", CronListCommand::state)
                    .styled(
                        (colors, entry, text) ->
                            switch (text) {
                              case "live" -> colors.green(text);
                              case "broken" -> colors.red(text);
                              default -> colors.yellow(text);
                            }),
                Column.of("Type", "type", ScheduleSnapshot::taskType),
                Column.<ScheduleSnapshot>of(
                        "Payload",
                        "payload",
                        entry -> DecodedPayload.of(entry.taskPayload()).json())
                    .shownAs(entry -> DecodedPayload.of(entry.taskPayload()).line())
                    .mayBeCut(),
                Column.data("payload_text", entry -> DecodedPayload.of(entry.taskPayload()).text()),
                Column.data(
                    "payload_base64", entry -> DecodedPayload.of(entry.taskPayload()).base64()),
                Column.<ScheduleSnapshot>of("Options", "options", CronListCommand::options)
                    .mayBeCut(),
                Column.<ScheduleSnapshot>of("Next", "next", ScheduleSnapshot::next)
                    .shownAs(entry -> next(entry, now)),
                Column.<ScheduleSnapshot>of("Previous", "previous", ScheduleSnapshot::previous)
                    .shownAs(entry -> TimeFormatter.relative(entry.previous(), now)),
                Column.data("paused_since", ScheduleSnapshot::pausedSince),
                Column.data("steerable", ScheduleSnapshot::isRemembered),
                Column.data("problem", ScheduleSnapshot::problem)),
            "No schedule entries.");
    for (ScheduleSnapshot entry : entries) {
      if (entry.problem() != null) {
        session.note("asynq: entry %s cannot be read: %s".formatted(entry.id(), entry.problem()));
      }
    }
    return ExitCode.DONE;
  }

  /** A scheduler publishes the next time shortly after the previous one. */
  private static String next(ScheduleSnapshot entry, Instant now) {
    Instant next = entry.next();
    return next != null && entry.isLive() && next.isBefore(now)
        ? "now"
        : TimeFormatter.relative(next, now);
  }

  private static String state(ScheduleSnapshot entry) {
    if (entry.problem() != null) {
      return "broken";
    }
    return entry.pausedSince() != null ? "paused" : entry.isLive() ? "live" : "no scheduler";
  }

  private static Map<String, Object> options(ScheduleSnapshot entry) {
    TaskOptions options = entry.options();
    Map<String, Object> map = new LinkedHashMap<>();
    put(map, "queue", options.queue());
    put(map, "retry", options.maxRetry());
    put(
        map,
        "timeout",
        options.timeout() == null ? null : DurationFormat.approximate(options.timeout()));
    put(map, "deadline", options.deadline());
    put(
        map,
        "unique",
        options.uniqueFor() == null ? null : DurationFormat.approximate(options.uniqueFor()));
    put(map, "process_at", options.processAt());
    put(
        map,
        "process_in",
        options.processIn() == null ? null : DurationFormat.approximate(options.processIn()));
    put(map, "id", options.id());
    put(
        map,
        "retention",
        options.retention() == null ? null : DurationFormat.approximate(options.retention()));
    put(map, "group", options.group());
    if (!options.headers().isEmpty()) {
      map.put("headers", new TreeMap<>(options.headers()));
    }
    if (!entry.unreadOptions().isEmpty()) {
      map.put("unread", entry.unreadOptions());
    }
    return map;
  }

  private static void put(Map<String, Object> map, String name, @Nullable Object value) {
    if (value != null) {
      map.put(name, value instanceof Integer ? value : value.toString());
    }
  }
}
