package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at queues and steers them. */
@Command(
    name = "queue",
    description = "Looks at queues and steers them.",
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
