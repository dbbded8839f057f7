package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Pauses schedule entries. */
@Command(
    name = "pause",
    description = "Pause entries: no scheduler enqueues their tasks until they are resumed.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron pause nightly-report")
final class CronPauseCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    return inspector.pauseSchedule(entry) ? "is paused" : "was already paused";
  }
}
