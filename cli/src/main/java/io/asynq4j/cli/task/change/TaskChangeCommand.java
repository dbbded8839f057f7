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

/** Does something with each of the tasks that are named; what fails for one is said. */
abstract class TaskChangeCommand extends RedisCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskArguments tasks;

  /** What was done with a task. */
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
        session.note("asynq: " + e.getMessage() + "\n       'asynq task search --id PREFIX' looks");
        exitCode = ExitCode.NOT_FOUND;
      } catch (TaskStateException e) {
        session.note("asynq: " + e.getMessage());
        exitCode = ExitCode.FAILED;
      }
    }
    session
        .printer()
        .told(
            done,
            List.of(
                Column.of("Queue", "queue", each -> each.task().queue()),
                Column.of("ID", "id", each -> each.task().id()),
                Column.of("Done", "done", Done::words)),
            each -> "Task %s: %s.".formatted(each.task(), each.words()));
    return exitCode;
  }

  /** Returns what was done, in words. */
  abstract String change(Inspector inspector, Session session, TaskLocation task);
}
