package io.asynq4j.cli.task;

import io.asynq4j.TaskInfo;
import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.LookCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.Format;
import io.asynq4j.cli.output.Printer;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** All that is known of a task. */
@Command(
    name = "inspect",
    description = "Shows all that is known of a task, its payload and result too.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task inspect --queue mail --id welcome-42",
      "  asynq task inspect welcome-42 --json"
    })
final class TaskInspect extends LookCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ChosenTasks tasks;

  @Override
  protected void check() {
    tasks.check();
  }

  @Override
  protected int run(Session session) {
    TaskRef ref = tasks.findOne(session.inspector());
    TaskInfo task = session.inspector().task(ref.queue(), ref.id());
    Printer printer = session.printer();
    List<Column<TaskInfo>> columns = new TaskColumns(session.now()).all(printer.ink());
    printer.detail(
        task,
        printer.format() == Format.TABLE
            ? columns.stream().filter(column -> !column.shown().apply(task).isEmpty()).toList()
            : columns);
    return ExitCode.DONE;
  }
}
