package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Resumes entries. */
@Command(
    name = "resume",
    description = "Ends the pause of entries; what they would have enqueued is not made up for.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron resume nightly-report")
final class CronResumeCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    return inspector.resumeSchedule(entry) ? "goes on" : "was not paused";
  }
}
