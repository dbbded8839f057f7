package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Has entries enqueue now. */
@Command(
    name = "run",
    description = "Has entries enqueue their task now, beside their schedule, paused or not.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron run nightly-report")
final class CronRunCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    inspector.runSchedule(entry);
    return "runs within a second or two, if a scheduler is live";
  }
}
