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

/** Tasks that are named by their ids; without a queue they are looked for in all. */
public final class TaskArguments {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "The queue of the task. Looked for in all queues if not said.")
  private @Nullable String queue;

  @Option(
      names = {"-i", "--id"},
      paramLabel = "ID",
      description = "The id of a task; may be given more than once.")
  private List<String> ids = List.of();

  @Parameters(arity = "0..*", paramLabel = "ID", description = "The same without the option.")
  private List<String> more = List.of();

  /** Where they are. Fails if there is none, or it is not clear which. */
  public List<TaskLocation> find(Inspector inspector) {
    return all().stream().map(id -> find(inspector, id)).toList();
  }

  /** The same for commands that take one. */
  public TaskLocation findOne(Inspector inspector) {
    if (all().size() > 1) {
      throw CliException.usage("This takes one task", "name one id");
    }
    return find(inspector).get(0);
  }

  /** Refuses when none is named. */
  public void check() {
    if (all().isEmpty()) {
      throw CliException.usage("Which task?", "name its id: --id ID, or just the id");
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
          "no queue has a task with the id " + id,
          "a task that succeeded is kept only for its retention; 'asynq task search --id PREFIX'"
              + " looks for a part of it");
    }
    if (found.size() > 1) {
      throw CliException.usage(
          "several queues have a task with the id %s: %s".formatted(id, String.join(", ", found)),
          "say which with --queue");
    }
    return new TaskLocation(found.get(0), id);
  }

  private static boolean has(Inspector inspector, String name, String id) {
    try {
      inspector.task(name, id);
      return true;
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return false;
    }
  }
}
