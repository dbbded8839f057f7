package io.asynq4j.cli.task.bulk;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A bulk command that also supports aggregating tasks: those of one group, or of all groups. */
abstract class GroupBulkCommand extends BulkCommand {

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "Group of the tasks. Only for --state aggregating. Default: all groups.")
  private @Nullable String group;

  @Override
  final @Nullable String group() {
    return group;
  }
}
