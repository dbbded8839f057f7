package io.asynq4j.cli.task.option;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects tasks by ID, in one queue or in all queues. */
public final class TaskArguments {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Queue of the task. Default: search all queues for the ID.")
  private @Nullable String queue;

  @Option(
      names = {"-i", "--id"},
      paramLabel = "ID",
      description = "Task ID (repeatable).")
  private List<String> ids = List.of();

  @Parameters(
      arity = "0..*",
      paramLabel = "ID",
      description = "Task ID, same as --id (repeatable).")
  private List<String> more = List.of();

  /** Finds the tasks. Throws if there is none, or if several queues have the ID. */
  public List<TaskLocation> find(Inspector inspector) {
    return all().stream().map(id -> find(inspector, id)).toList();
  }

  /** Finds the task, for commands that take one. */
  public TaskLocation findOne(Inspector inspector) {
    if (all().size() > 1) {
      throw CliException.usage("This command takes exactly one task", "Pass one task ID.");
    }
    return find(inspector).get(0);
  }

  /** Throws if no ID was passed. */
  public void check() {
    if (all().isEmpty()) {
      throw CliException.usage("Missing task ID", "Pass --id ID, or just the ID.");
    }
  }

  private List<String> all() {
    List<String> all = new ArrayList<>(ids);
    all.addAll(more);
    return all;
  }

  private TaskLocation find(Inspector inspector, String id) {
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
}
