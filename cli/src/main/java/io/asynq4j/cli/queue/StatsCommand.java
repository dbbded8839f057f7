package io.asynq4j.cli.queue;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.TaskState;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.Printer;
import io.asynq4j.cli.output.TaskStateOrder;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Shows an overview. */
@Command(
    name = "stats",
    description = "Show an overview: tasks by state and queue, today's counts, and Redis.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq stats",
      "  asynq stats --json",
      "  asynq stats --output csv              # only the queues"
    })
public final class StatsCommand extends ReadOnlyCommand {

  /** INFO fields of Redis. */
  private static final List<Column<Map<String, String>>> REDIS =
      List.of(
          Column.of("Version", "redis_version", info -> info.get("redis_version")),
          Column.of("Uptime in days", "uptime_in_days", info -> info.get("uptime_in_days")),
          Column.of("Connections", "connected_clients", info -> info.get("connected_clients")),
          Column.of("Memory", "used_memory_human", info -> info.get("used_memory_human")),
          Column.of(
              "Peak memory", "used_memory_peak_human", info -> info.get("used_memory_peak_human")),
          Column.of("Mode", "redis_mode", info -> info.get("redis_mode")));

  /** Fields of a cluster; the other fields are those of the node that answers. */
  private static final List<Column<Map<String, String>>> CLUSTER =
      List.of(
          Column.of("State", "cluster_state", info -> info.get("cluster_state")),
          Column.of("Known nodes", "cluster_known_nodes", info -> info.get("cluster_known_nodes")),
          Column.of("Cluster size", "cluster_size", info -> info.get("cluster_size")));

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    List<QueueListEntry> queues = QueueListEntry.all(inspector);
    Total total = Total.of(QueueListEntry.seen(queues), session);
    Map<String, String> redis = info(inspector);
    Printer printer = session.printer();
    switch (printer.format()) {
      case JSON -> printer.json(document(queues, total, redis));
      case CSV -> printer.list(queues, queueColumns(), "");
      case TABLE -> show(printer, queues, total, redis);
    }
    QueueListEntry.noteProblems(session, queues);
    return ExitCode.DONE;
  }

  /** Empty if the Redis user may not run INFO. */
  private static Map<String, String> info(Inspector inspector) {
    try {
      return inspector.redisInfo();
    } catch (BrokerRefusedException e) {
      return Map.of();
    }
  }

  private static List<Column<Map<String, String>>> columns(Map<String, String> redis) {
    return redis.containsKey("cluster_state")
        ? Stream.concat(CLUSTER.stream(), REDIS.stream()).toList()
        : REDIS;
  }

  /** All queues together. */
  private record Total(String day, Map<TaskState, Long> sizes, long processed, long failed) {

    static Total of(List<QueueSnapshot> queues, Session session) {
      Map<TaskState, Long> sizes = new LinkedHashMap<>();
      for (TaskState state : TaskStateOrder.IN_ORDER) {
        sizes.put(state, queues.stream().mapToLong(queue -> queue.size(state)).sum());
      }
      return new Total(
          session.now().atZone(ZoneOffset.UTC).toLocalDate().toString(),
          sizes,
          queues.stream().mapToLong(QueueSnapshot::processedToday).sum(),
          queues.stream().mapToLong(QueueSnapshot::failedToday).sum());
    }

    static List<Column<Total>> states() {
      List<Column<Total>> columns = new ArrayList<>();
      for (TaskState state : TaskStateOrder.IN_ORDER) {
        columns.add(
            Column.count(
                QueueColumns.title(state), state.word(), total -> total.sizes().get(state)));
      }
      return columns;
    }

    static List<Column<Total>> today() {
      return List.of(
          Column.data("date", Total::day),
          Column.count("Processed", "processed", Total::processed),
          Column.count("Failed", "failed", Total::failed),
          Column.<Total>count(
                  "Error rate",
                  "error_rate",
                  total ->
                      total.processed() == 0
                          ? null
                          : (Object) ((double) total.failed() / total.processed()))
              .shownAs(total -> QueueColumns.errorRate(total.failed(), total.processed())));
    }
  }

  private static List<Column<QueueListEntry>> queueColumns() {
    List<Column<QueueListEntry>> columns = new ArrayList<>();
    columns.add(QueueListEntry.name());
    columns.add(QueueListEntry.state());
    columns.add(QueueListEntry.of(QueueColumns.size()));
    QueueColumns.sizes()
        .forEach(
            column -> columns.add(QueueListEntry.of(Column.data(column.key(), column.value()))));
    columns.add(QueueListEntry.of(QueueColumns.latency()));
    QueueColumns.today().forEach(column -> columns.add(QueueListEntry.of(column)));
    columns.add(QueueListEntry.reason());
    return columns;
  }

  private static Map<String, @Nullable Object> document(
      List<QueueListEntry> queues, Total total, Map<String, String> redis) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("states", Printer.object(total, Total.states()));
    document.put("queues", Printer.objects(queues, queueColumns()));
    document.put("today", Printer.object(total, Total.today()));
    document.put("redis", Printer.object(redis, columns(redis)));
    return document;
  }

  private static void show(
      Printer printer, List<QueueListEntry> queues, Total total, Map<String, String> redis) {
    printer.heading("Tasks by state");
    printer.list(List.of(total), Total.states(), "");
    printer.line("");
    printer.heading("Tasks by queue");
    printer.list(queues, queueColumns(), "No queues yet.");
    printer.line("");
    printer.heading("Today (%s, UTC)".formatted(total.day()));
    printer.list(List.of(total), Total.today(), "");
    printer.line("");
    printer.heading(redis.containsKey("cluster_state") ? "Redis Cluster" : "Redis");
    printer.list(
        redis.isEmpty() ? List.of() : List.of(redis),
        columns(redis),
        "Not available: the Redis user may not run INFO.");
  }
}
