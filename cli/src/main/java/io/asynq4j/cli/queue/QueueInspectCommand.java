package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows all data of queues. */
@Command(
    name = "inspect",
    description = "Show details of queues: sizes, latency, memory, limits and counts.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq queue inspect mail", "  asynq queue inspect mail default --json"})
final class QueueInspectCommand extends ReadOnlyCommand {

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Name of the queue (repeatable).")
  private List<String> queues = List.of();

  /** Data of one queue. */
  private record Found(QueueSnapshot queue, OptionalLong memory, QueueLimits limits) {}

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    PerQueueRunner<Found> each = new PerQueueRunner<>(session);
    List<Found> found =
        each.of(
            queues,
            name ->
                new Found(
                    inspector.queue(name).snapshot(),
                    inspector.queue(name).memoryUsage(),
                    inspector.queue(name).limits()));
    session.printer().details(found, columns());
    return each.exitCode();
  }

  private static List<Column<Found>> columns() {
    List<Column<Found>> columns = new ArrayList<>();
    columns.add(of(QueueColumns.name()));
    columns.add(of(QueueColumns.size()));
    columns.add(Column.count("Groups", "groups", found -> found.queue().groups()));
    columns.add(
        Column.<Found>of("Paused", "paused_since", found -> found.queue().pausedSince())
            .shownAs(found -> QueueColumns.since(found.queue())));
    columns.add(of(QueueColumns.latency()));
    columns.add(
        Column.<Found>of(
                "Memory",
                "memory_bytes",
                found -> found.memory().isPresent() ? (Object) found.memory().getAsLong() : null)
            .shownAs(
                found ->
                    found.memory().isPresent()
                        ? ByteSizeFormat.approximate(found.memory().getAsLong()) + " (estimated)"
                        : "unknown: this Redis does not report it"));
    QueueColumns.sizes().forEach(column -> columns.add(of(column)));
    QueueColumns.today().forEach(column -> columns.add(of(column)));
    columns.add(Column.<Found>data("error_rate_today", found -> rate(found.queue())));
    columns.add(Column.count("Processed total", "processed", found -> found.queue().processed()));
    columns.add(Column.count("Failed total", "failed", found -> found.queue().failed()));
    columns.add(
        Column.<Found>of("Limits", "limits", found -> QueueLimitCommand.map(found.limits()))
            .shownAs(found -> QueueLimitCommand.words(found.limits())));
    return columns;
  }

  private static @Nullable Object rate(QueueSnapshot queue) {
    return queue.processedToday() == 0
        ? null
        : (Object) ((double) queue.failedToday() / queue.processedToday());
  }

  private static Column<Found> of(Column<QueueSnapshot> column) {
    return new Column<>(
        column.title(),
        column.key(),
        found -> column.value().apply(found.queue()),
        found -> column.shown().apply(found.queue()),
        (colors, found, text) -> column.style().apply(colors, found.queue(), text),
        column.right(),
        column.flexible(),
        column.optional());
  }
}
