package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists all queues. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List all queues. In a cluster, also show the slot and the nodes of each queue.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue list",
      "  asynq queue ls --names              # one name per line, for scripts",
      "  asynq queue list --output csv"
    })
final class QueueListCommand extends ReadOnlyCommand {

  @Option(names = "--names", description = "Print only the names, one per line.")
  private boolean names;

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    if (names) {
      session
          .printer()
          .results(
              List.copyOf(inspector.queues()),
              List.of(Column.of("Queue", "queue", name -> name)),
              name -> name);
      return ExitCode.DONE;
    }
    List<QueueListEntry> queues = QueueListEntry.all(inspector);
    session.printer().list(queues, columns(inspector, queues), "No queues yet.");
    QueueListEntry.noteProblems(session, queues);
    return ExitCode.DONE;
  }

  private static List<Column<QueueListEntry>> columns(
      Inspector inspector, List<QueueListEntry> queues) {
    List<Column<QueueListEntry>> columns = new ArrayList<>();
    columns.add(QueueListEntry.name());
    columns.add(QueueListEntry.state());
    columns.add(QueueListEntry.of(QueueColumns.size()));
    QueueColumns.sizes().forEach(column -> columns.add(QueueListEntry.of(column)));
    columns.add(QueueListEntry.of(QueueColumns.latency()));
    QueueColumns.today().forEach(column -> columns.add(QueueListEntry.of(column)));
    columns.add(QueueListEntry.reason());
    Map<String, List<String>> nodes = new TreeMap<>();
    QueueListEntry.seen(queues)
        .forEach(queue -> nodes.put(queue.queue(), inspector.queue(queue.queue()).nodes()));
    if (nodes.values().stream().anyMatch(each -> !each.isEmpty())) {
      columns.add(
          QueueListEntry.of(
              Column.count("Slot", "slot", queue -> inspector.queue(queue.queue()).slot())));
      columns.add(
          Column.<QueueListEntry>of("Nodes", "nodes", queue -> nodes.get(queue.queue()))
              .shownAs(queue -> String.join(" ", nodes.getOrDefault(queue.queue(), List.of()))));
    }
    return columns;
  }
}
