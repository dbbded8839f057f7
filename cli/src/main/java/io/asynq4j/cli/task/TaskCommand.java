package io.asynq4j.cli.task;

import io.asynq4j.cli.command.CommandGroup;
import io.asynq4j.cli.task.bulk.TaskArchiveAllCommand;
import io.asynq4j.cli.task.bulk.TaskCancelAllCommand;
import io.asynq4j.cli.task.bulk.TaskDeleteAllCommand;
import io.asynq4j.cli.task.bulk.TaskMoveAllCommand;
import io.asynq4j.cli.task.bulk.TaskRescheduleAllCommand;
import io.asynq4j.cli.task.bulk.TaskRunAllCommand;
import io.asynq4j.cli.task.change.TaskArchiveCommand;
import io.asynq4j.cli.task.change.TaskCancelCommand;
import io.asynq4j.cli.task.change.TaskCopyCommand;
import io.asynq4j.cli.task.change.TaskDeleteCommand;
import io.asynq4j.cli.task.change.TaskEditCommand;
import io.asynq4j.cli.task.change.TaskMoveCommand;
import io.asynq4j.cli.task.change.TaskRescheduleCommand;
import io.asynq4j.cli.task.change.TaskRunCommand;
import picocli.CommandLine.Command;

/** Lists, enqueues and changes tasks. */
@Command(
    name = "task",
    description = "List, search, enqueue and change tasks.",
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
      TaskEditCommand.class,
      TaskMoveCommand.class,
      TaskCopyCommand.class,
      TaskRunAllCommand.class,
      TaskArchiveAllCommand.class,
      TaskDeleteAllCommand.class,
      TaskMoveAllCommand.class,
      TaskRescheduleAllCommand.class,
      TaskCancelAllCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task list --queue mail --state pending",
      "  asynq task inspect welcome-42",
      "  asynq task enqueue --type email:welcome --payload '{\"user\": 42}'"
    })
public final class TaskCommand extends CommandGroup {}
