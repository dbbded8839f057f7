package io.asynq4j.cli.cron;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Lists and manages schedule entries. */
@Command(
    name = "cron",
    description = "List and manage schedule entries.",
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
