package io.asynq4j.cli.task;

import io.asynq4j.cli.frame.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at tasks and changes what is to become of them. */
@Command(
    name = "task",
    description = "Looks at tasks and changes what is to become of them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TaskList.class,
      TaskSearch.class,
      TaskInspect.class,
      TaskExplain.class,
      TaskEnqueue.class,
      TaskRun.class,
      TaskArchive.class,
      TaskDelete.class,
      TaskCancel.class,
      TaskReschedule.class,
      TaskUpdate.class,
      TaskMove.class,
      TaskClone.class,
      TaskRunAll.class,
      TaskArchiveAll.class,
      TaskDeleteAll.class,
      TaskMoveAll.class,
      TaskCancelAll.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task list --queue mail --state pending",
      "  asynq task inspect welcome-42",
      "  asynq task enqueue --type email:welcome --payload '{\"user\": 42}'"
    })
public final class TaskCommand extends CommandGroup {}
