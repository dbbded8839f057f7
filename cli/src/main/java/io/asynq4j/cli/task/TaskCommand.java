package io.asynq4j.cli.task;

import io.asynq4j.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at tasks and changes what is to become of them. */
@Command(
    name = "task",
    description = "Looks at tasks and changes what is to become of them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TaskListCommand.class,
      TaskSearchCommand.class,
      TaskInspectCommand.class,
      TaskExplainCommand.class,
      TaskEnqueueCommand.class,
      TaskRunCommand.class,
      TaskArchiveCommand.class,
      TaskDeleteCommand.class,
      TaskCancelCommand.class,
      TaskRescheduleCommand.class,
      TaskUpdateCommand.class,
      TaskMoveCommand.class,
      TaskCloneCommand.class,
      TaskRunAllCommand.class,
      TaskArchiveAllCommand.class,
      TaskDeleteAllCommand.class,
      TaskMoveAllCommand.class,
      TaskCancelAllCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task list --queue mail --state pending",
      "  asynq task inspect welcome-42",
      "  asynq task enqueue --type email:welcome --payload '{\"user\": 42}'"
    })
public final class TaskCommand extends CommandGroup {}
