package io.asynq4j.cli.task.option;

import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects tasks by ID, in one queue or in all queues. */
public final class TaskArguments extends TaskLocator {

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
    return all().stream().map(id -> locate(inspector, id)).toList();
  }

  /** Throws if no ID was passed. */
  public void check() {
    if (all().isEmpty()) {
      throw missing();
    }
  }

  private List<String> all() {
    List<String> all = new ArrayList<>(ids);
    all.addAll(more);
    return all;
  }
}
