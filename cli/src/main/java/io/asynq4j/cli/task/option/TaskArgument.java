package io.asynq4j.cli.task.option;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.inspect.Inspector;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects one task by ID, in one queue or in all queues. */
public final class TaskArgument extends TaskLocator {

  @Option(
      names = {"-i", "--id"},
      paramLabel = "ID",
      description = "Task ID.")
  private @Nullable String id;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "Task ID, same as --id.")
  private @Nullable String argument;

  /** Finds the task. Throws if there is none, or if several queues have the ID. */
  public TaskLocation find(Inspector inspector) {
    return locate(inspector, Objects.requireNonNull(id != null ? id : argument));
  }

  /** Throws unless exactly one ID was passed. */
  public void check() {
    if (id == null && argument == null) {
      throw missing();
    }
    if (id != null && argument != null) {
      throw CliException.usage("This command takes exactly one task", "Pass one task ID.");
    }
  }
}
