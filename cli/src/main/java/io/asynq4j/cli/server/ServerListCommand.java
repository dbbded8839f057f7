package io.asynq4j.cli.server;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.ReadOnlyCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.DecodedPayload;
import io.asynq4j.cli.output.OutputFormat;
import io.asynq4j.cli.output.TimeFormatter;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists all live servers. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List the live servers, including servers of asynq for Go.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq server list", "  asynq server ls --workers", "  asynq server list --json"})
final class ServerListCommand extends ReadOnlyCommand {

  @Option(names = "--workers", description = "Also list the tasks that the servers are running.")
  private boolean workers;

  /** A running task and its server. */
  private record Working(ServerSnapshot server, WorkerSnapshot worker) {}

  @Override
  protected int run(Session session) {
    List<ServerSnapshot> servers = session.inspector().servers();
    Instant now = session.now();
    session.printer().list(servers, columns(now), "No live servers.");
    servers.forEach(server -> noteProblems(session, server));
    if (workers) {
      List<Working> all =
          servers.stream()
              .flatMap(server -> server.workers().stream().map(each -> new Working(server, each)))
              .toList();
      if (session.printer().format() == OutputFormat.TABLE) {
        session.printer().line("");
        session.printer().list(all, workerColumns(now), "No running tasks.");
      }
    }
    return ExitCode.DONE;
  }

  private static void noteProblems(Session session, ServerSnapshot server) {
    String name = server.host() + ":" + server.pid();
    if (server.problem() != null) {
      session.note("asynq: server %s cannot be read: %s".formatted(name, server.problem()));
    }
    for (WorkerSnapshot worker : server.workers()) {
      if (worker.problem() != null) {
        session.note(
            "asynq: task %s of server %s cannot be read: %s"
                .formatted(
                    worker.taskId().isEmpty() ? "(unknown)" : worker.taskId(),
                    name,
                    worker.problem()));
      }
    }
  }

  private static List<Column<ServerSnapshot>> columns(Instant now) {
    return List.of(
        Column.of("Host", "host", ServerSnapshot::host),
        Column.<ServerSnapshot>count("PID", "pid", ServerSnapshot::pid)
            .shownAs(server -> Integer.toString(server.pid())),
        Column.<ServerSnapshot>of("State", "status", ServerSnapshot::status)
            .styled(
                (colors, server, text) ->
                    switch (server.status()) {
                      case "active" -> colors.green(text);
                      case "broken" -> colors.red(text);
                      default -> colors.yellow(text);
                    }),
        Column.<ServerSnapshot>of("Active workers", "active_workers", ServerSnapshot::activeWorkers)
            .shownAs(server -> server.activeWorkers() + "/" + server.concurrency()),
        Column.data("concurrency", ServerSnapshot::concurrency),
        Column.<ServerSnapshot>of("Queues", "queues", ServerListCommand::byWeight)
            .shownAs(
                server ->
                    byWeight(server).entrySet().stream()
                            .map(each -> each.getKey() + ":" + each.getValue())
                            .collect(Collectors.joining(" "))
                        + (server.strictPriority() ? " (strict)" : ""))
            .mayBeCut(),
        Column.data("strict_priority", ServerSnapshot::strictPriority),
        Column.<ServerSnapshot>of("Started", "started", ServerSnapshot::started)
            .shownAs(server -> TimeFormatter.relative(server.started(), now)),
        Column.count("Heartbeat", "heartbeat_age_seconds", ServerSnapshot::heartbeatAge),
        // The table shows host:pid instead of the ID.
        Column.<ServerSnapshot>of("ID", "id", ServerSnapshot::id).mayBeLeftOut(),
        Column.data("problem", ServerSnapshot::problem),
        Column.data(
            "workers",
            server -> server.workers().stream().map(ServerListCommand::object).toList()));
  }

  private static Map<String, Integer> byWeight(ServerSnapshot server) {
    Map<String, Integer> sorted = new LinkedHashMap<>();
    server.queues().entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(each -> sorted.put(each.getKey(), each.getValue()));
    return sorted;
  }

  private static Map<String, @Nullable Object> object(WorkerSnapshot worker) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put("task", worker.taskId());
    object.put("queue", worker.queue());
    object.put("type", worker.taskType());
    object.put("started", worker.started());
    object.put("deadline", worker.deadline());
    object.put("problem", worker.problem());
    return object;
  }

  private static List<Column<Working>> workerColumns(Instant now) {
    return List.of(
        Column.of("Server", "server", each -> each.server().host() + ":" + each.server().pid()),
        Column.<Working>of("Task", "task", each -> each.worker().taskId())
            .shownAs(
                each -> each.worker().taskId().isEmpty() ? "(unknown)" : each.worker().taskId()),
        Column.of("Queue", "queue", each -> each.worker().queue()),
        Column.<Working>of("Type", "type", each -> each.worker().taskType())
            .shownAs(
                each ->
                    each.worker().problem() == null ? each.worker().taskType() : "(unreadable)"),
        Column.<Working>of("Started", "started", each -> each.worker().started())
            .shownAs(each -> TimeFormatter.relative(each.worker().started(), now)),
        Column.<Working>of("Deadline", "deadline", each -> each.worker().deadline())
            .shownAs(each -> TimeFormatter.relative(each.worker().deadline(), now)),
        Column.<Working>of("Payload", "payload", each -> null)
            .shownAs(each -> DecodedPayload.of(each.worker().taskPayload()).line())
            .mayBeCut()
            .mayBeLeftOut());
  }
}
