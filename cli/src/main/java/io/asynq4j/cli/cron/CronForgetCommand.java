package io.asynq4j.cli.cron;

import io.asynq4j.inspect.Inspector;
import picocli.CommandLine.Command;

/** Deletes the data of schedule entries. */
@Command(
    name = "forget",
    description = "Delete the state and history of entries that no scheduler registers any more.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron forget outdated-report")
final class CronForgetCommand extends CronChangeCommand {

  @Override
  String change(Inspector inspector, String entry) {
    inspector.forgetSchedule(entry);
    return "was deleted";
  }
}
