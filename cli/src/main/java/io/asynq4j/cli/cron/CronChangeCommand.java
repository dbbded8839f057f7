package io.asynq4j.cli.cron;

import io.asynq4j.ScheduleNotFoundException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Changes schedule entries. */
abstract class CronChangeCommand extends RedisCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ENTRY",
      description = "ID of the schedule entry (repeatable).")
  private List<String> entries = List.of();

  private record Changed(String entry, String words) {}

  @Override
  protected final int run(Session session) {
    List<Changed> changed = new ArrayList<>();
    int exitCode = ExitCode.DONE;
    for (String entry : entries) {
      try {
        changed.add(new Changed(entry, change(session.inspector(), entry)));
      } catch (ScheduleNotFoundException e) {
        session.note(
            "asynq: " + e.getMessage() + "\n       Run 'asynq cron list' to list all entries.");
        exitCode = ExitCode.NOT_FOUND;
      }
    }
    session
        .printer()
        .results(
            changed,
            List.of(
                Column.of("Entry", "entry", Changed::entry),
                Column.of("Done", "done", Changed::words)),
            each -> "Entry %s %s.".formatted(each.entry(), each.words()));
    return exitCode;
  }

  /** Applies the change and returns a phrase for the result, such as "is paused". */
  abstract String change(Inspector inspector, String entry);
}
