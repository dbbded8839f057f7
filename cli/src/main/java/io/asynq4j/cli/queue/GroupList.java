package io.asynq4j.cli.queue;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.LookCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.output.Column;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The groups of a queue. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists the groups of a queue, with the number of tasks in each.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq group list --queue mail", "  asynq group ls -q mail --json"})
final class GroupList extends LookCommand {

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "The queue.")
  private String queue = "";

  @Override
  protected int run(Session session) {
    List<Map.Entry<String, Long>> groups =
        List.copyOf(new TreeMap<>(session.inspector().groups(queue)).entrySet());
    session
        .printer()
        .list(
            groups,
            List.of(
                Column.of("Group", "group", Map.Entry::getKey),
                Column.count("Size", "size", Map.Entry::getValue)),
            "No group in queue %s holds tasks.".formatted(queue));
    return ExitCode.DONE;
  }
}
