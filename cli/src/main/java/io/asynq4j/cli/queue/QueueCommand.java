package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Lists and manages queues. */
@Command(
    name = "queue",
    description = "List and manage queues.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      QueueListCommand.class,
      QueueInspectCommand.class,
      QueueHistoryCommand.class,
      QueuePauseCommand.class,
      QueueResumeCommand.class,
      QueueLimitCommand.class,
      QueueRemoveCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {"  asynq queue list", "  asynq queue inspect mail"})
public final class QueueCommand extends CommandGroup {}
