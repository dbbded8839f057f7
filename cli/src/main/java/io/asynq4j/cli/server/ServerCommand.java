package io.asynq4j.cli.server;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Lists, quiets and stops servers. */
@Command(
    name = "server",
    description = "List, quiet and stop servers.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ServerListCommand.class, ServerQuietCommand.class, ServerStopCommand.class},
    footerHeading = "%nExamples:%n",
    footer = "  asynq server list")
public final class ServerCommand extends CommandGroup {}
