package io.asynq4j.cli.task.change;

import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.cli.task.option.ProcessTimeOptions;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Changes the time at which tasks run. */
@Command(
    name = "reschedule",
    description = {
      "Change the due time of scheduled, retry, pending or archived tasks.",
      "Requires --at or --in."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task reschedule later-7 --in 10m",
      "  asynq task reschedule --queue mail --id broken-1 --at 2099-01-31T08:00:00Z"
    })
public final class TaskRescheduleCommand extends TaskChangeCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ProcessTimeOptions when;

  @Override
  protected void check() {
    super.check();
    when.requireOne();
  }

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    Instant now = session.now();
    Instant at = when.from(now);
    inspector.queue(task.queue()).reschedule(task.id(), at);
    return "due " + TimeFormatter.relative(at, now);
  }
}
