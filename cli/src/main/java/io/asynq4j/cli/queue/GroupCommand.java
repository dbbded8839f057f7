package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at groups. */
@Command(
    name = "group",
    description = "Looks at groups of tasks that become one.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = GroupListCommand.class,
    footerHeading = "%nExamples:%n",
    footer = "  asynq group list --queue mail")
public final class GroupCommand extends CommandGroup {}
