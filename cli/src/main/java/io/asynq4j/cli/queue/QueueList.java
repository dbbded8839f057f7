package io.asynq4j.cli.queue;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.LookCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** All queues. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists all queues, in a cluster with the slot and the nodes of each.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue list",
      "  asynq queue ls --names              # for shell loops",
      "  asynq queue list --output csv"
    })
final class QueueList extends LookCommand {

  @Option(names = "--names", description = "Only the names, one per line.")
  private boolean names;

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    if (names) {
      session
          .printer()
          .told(
              List.copyOf(inspector.queues()),
              List.of(Column.of("Queue", "queue", name -> name)),
              name -> name);
      return ExitCode.DONE;
    }
    List<QueueSnapshot> queues =
        inspector.queues().stream().flatMap(name -> snapshot(inspector, name).stream()).toList();
    session.printer().list(queues, columns(inspector, queues), "There is no queue yet.");
    return ExitCode.DONE;
  }

  /** Empty for one that was removed meanwhile. */
  static Optional<QueueSnapshot> snapshot(Inspector inspector, String name) {
    try {
      return Optional.of(inspector.queue(name));
    } catch (QueueNotFoundException e) {
      return Optional.empty();
    }
  }

  private static List<Column<QueueSnapshot>> columns(
      Inspector inspector, List<QueueSnapshot> queues) {
    List<Column<QueueSnapshot>> columns = new ArrayList<>();
    columns.add(QueueColumns.name());
    columns.add(QueueColumns.paused());
    columns.add(QueueColumns.size());
    columns.addAll(QueueColumns.sizes());
    columns.add(QueueColumns.latency());
    columns.addAll(QueueColumns.today());
    Map<String, List<String>> nodes = new TreeMap<>();
    queues.forEach(queue -> nodes.put(queue.queue(), inspector.nodes(queue.queue())));
    if (nodes.values().stream().anyMatch(each -> !each.isEmpty())) {
      columns.add(Column.count("Slot", "slot", queue -> inspector.slot(queue.queue())));
      columns.add(
          Column.<QueueSnapshot>of("Nodes", "nodes", queue -> nodes.get(queue.queue()))
              .shownAs(queue -> String.join(" ", nodes.getOrDefault(queue.queue(), List.of()))));
    }
    return columns;
  }
}
