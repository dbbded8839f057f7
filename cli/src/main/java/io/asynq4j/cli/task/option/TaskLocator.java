package io.asynq4j.cli.task.option;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Finds tasks by ID, in one queue or in all queues. */
abstract class TaskLocator {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Queue of the task. Default: search all queues for the ID.")
  private @Nullable String queue;

  /** Throws if no queue has the task, or if several queues have the ID. */
  final TaskLocation locate(Inspector inspector, String id) {
    if (queue != null) {
      return new TaskLocation(queue, id);
    }
    List<String> found =
        inspector.queues().stream().filter(name -> has(inspector, name, id)).toList();
    if (found.isEmpty()) {
      throw CliException.notFound(
          "No queue has a task with ID " + id,
          "Completed tasks are deleted when their retention ends."
              + " Run 'asynq task search --id PREFIX' to search by prefix.");
    }
    if (found.size() > 1) {
      throw CliException.usage(
          "Several queues have a task with ID %s: %s".formatted(id, String.join(", ", found)),
          "Pass --queue to select one.");
    }
    return new TaskLocation(found.get(0), id);
  }

  private static boolean has(Inspector inspector, String name, String id) {
    try {
      inspector.queue(name).task(id);
      return true;
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return false;
    }
  }

  static CliException missing() {
    return CliException.usage("Missing task ID", "Pass --id ID, or just the ID.");
  }
}
