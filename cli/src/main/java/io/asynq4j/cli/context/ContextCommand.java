package io.asynq4j.cli.context;

import io.asynq4j.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** Manages named connection settings. */
@Command(
    name = "context",
    description = {
      "Manage contexts: named connection settings.",
      "They are stored in ~/.asynq.yaml, or in the file of --config or ASYNQ_CONFIG. Only its owner can",
      "read it."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ContextListCommand.class,
      ContextUseCommand.class,
      ContextSetCommand.class,
      ContextRemoveCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq context set prod --redis redis-sentinel://s1,s2,s3/0?master=main",
      "  asynq context use prod",
      "  asynq context list"
    })
public final class ContextCommand extends CommandGroup {}
