package io.asynq4j.cli.task.bulk;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Group of the selected tasks, for commands that act on aggregating tasks. */
final class GroupOption {

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "Group of the tasks; only for aggregating tasks.")
  private @Nullable String group;

  @Nullable String group() {
    return group;
  }
}
