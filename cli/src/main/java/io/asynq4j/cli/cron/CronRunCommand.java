package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Makes schedule entries enqueue their task now. */
@Command(
    name = "run",
    description =
        "Enqueue the tasks of entries now, in addition to their schedule, even if they are paused.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron run nightly-report")
final class CronRunCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    inspector.runSchedule(entry);
    return "enqueues its task within about two seconds if a scheduler is running";
  }
}
