package io.asynq4j.cli.server;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at servers and tells them to end. */
@Command(
    name = "server",
    description = "Looks at servers and tells them to end.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ServerListCommand.class, ServerQuietCommand.class, ServerStopCommand.class},
    footerHeading = "%nExamples:%n",
    footer = "  asynq server list")
public final class ServerCommand extends CommandGroup {}
