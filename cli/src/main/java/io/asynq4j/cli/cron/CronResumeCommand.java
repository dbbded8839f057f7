package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Resumes schedule entries. */
@Command(
    name = "resume",
    description = "Resume paused entries. Times that passed during the pause are skipped.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron resume nightly-report")
final class CronResumeCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    return inspector.resumeSchedule(entry) ? "is resumed" : "was not paused";
  }
}
