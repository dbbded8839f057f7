package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the groups of a queue. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List the groups of a queue and the number of tasks in each.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq group list --queue mail", "  asynq group ls -q mail --json"})
final class GroupListCommand extends ReadOnlyCommand {

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "Queue of the groups.")
  private String queue = "";

  @Override
  protected int run(Session session) {
    List<Map.Entry<String, Long>> groups =
        List.copyOf(new TreeMap<>(session.inspector().queue(queue).groups()).entrySet());
    session
        .printer()
        .list(
            groups,
            List.of(
                Column.of("Group", "group", Map.Entry::getKey),
                Column.<Map.Entry<String, Long>>count("Size", "size", GroupListCommand::size)
                    .shownAs(
                        group ->
                            group.getValue() < 0 ? "broken" : Long.toString(group.getValue()))),
            "No groups with tasks in queue %s.".formatted(queue));
    return ExitCode.DONE;
  }

  private static @Nullable Object size(Map.Entry<String, Long> group) {
    return group.getValue() < 0 ? null : (Object) group.getValue();
  }
}
