package io.asynq4j.cli.cron;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at the entries of schedulers and steers them. */
@Command(
    name = "cron",
    description = "Looks at the entries of schedulers and steers them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CronListCommand.class,
      CronHistoryCommand.class,
      CronPauseCommand.class,
      CronResumeCommand.class,
      CronRunCommand.class,
      CronForgetCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = "  asynq cron list")
public final class CronCommand extends CommandGroup {}
