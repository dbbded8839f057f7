package io.asynq4j.cli.task.change;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskStateException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.task.option.TaskArguments;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Applies a change to each named task. A failure for one is reported and the others follow. */
abstract class TaskChangeCommand extends RedisCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskArguments tasks;

  /** A task and the result of the change. */
  private record Done(TaskLocation task, String words) {}

  @Override
  protected void check() {
    tasks.check();
  }

  @Override
  protected final int run(Session session) {
    Inspector inspector = session.inspector();
    List<Done> done = new ArrayList<>();
    int exitCode = ExitCode.DONE;
    for (TaskLocation task : tasks.find(inspector)) {
      try {
        done.add(new Done(task, change(inspector, session, task)));
      } catch (TaskNotFoundException | QueueNotFoundException e) {
        session.note(
            "asynq: "
                + e.getMessage()
                + "\n       Run 'asynq task search --id PREFIX' to search all queues.");
        exitCode = ExitCode.NOT_FOUND;
      } catch (TaskStateException e) {
        session.note("asynq: " + e.getMessage());
        exitCode = ExitCode.FAILED;
      }
    }
    session
        .printer()
        .results(
            done,
            List.of(
                Column.of("Queue", "queue", each -> each.task().queue()),
                Column.of("ID", "id", each -> each.task().id()),
                Column.of("Done", "done", Done::words)),
            each -> "Task %s: %s.".formatted(each.task(), each.words()));
    return exitCode;
  }

  /** Applies the change and returns a phrase for the result, such as "archived". */
  abstract String change(Inspector inspector, Session session, TaskLocation task);
}
