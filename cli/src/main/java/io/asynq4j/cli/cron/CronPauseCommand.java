package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Pauses entries. */
@Command(
    name = "pause",
    description =
        "Has entries enqueue nothing until they are resumed, whatever scheduler has them.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron pause nightly-report")
final class CronPauseCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    return inspector.pauseSchedule(entry) ? "is paused" : "is paused already";
  }
}
