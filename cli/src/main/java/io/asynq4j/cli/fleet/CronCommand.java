package io.asynq4j.cli.fleet;

import io.asynq4j.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at the entries of schedulers and steers them. */
@Command(
    name = "cron",
    description = "Looks at the entries of schedulers and steers them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CronList.class,
      CronHistory.class,
      CronPause.class,
      CronResume.class,
      CronRun.class,
      CronForget.class
    },
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron list")
public final class CronCommand extends CommandGroup {}
