package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Lists groups. */
@Command(
    name = "group",
    description = "List groups of tasks that are aggregated into one task.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = GroupListCommand.class,
    footerHeading = "%nExamples:%n",
    footer = "  asynq group list --queue mail")
public final class GroupCommand extends CommandGroup {}
