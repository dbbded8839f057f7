package io.asynq4j.cli.dash;

import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.WorkerSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Servers, and one of them with what it works on. */
final class ServersPainter {

  private static final int GAUGE = 10;

  private ServersPainter() {}

  static void paint(Grid grid, Model model, ServersView view) {
    List<ServerSnapshot> servers = view.list();
    long workers = servers.stream().mapToLong(ServerSnapshot::concurrency).sum();
    long busy = servers.stream().mapToLong(ServerSnapshot::activeWorkers).sum();
    List<Span> summary = new ArrayList<>();
    summary.add(Span.bold(" " + Figures.counted(servers.size(), "server")));
    summary.add(Span.dim("  busy workers "));
    summary.addAll(Charts.gauge(busy, workers, 20));
    summary.add(Span.plain(" " + Figures.count(busy) + " of " + Figures.count(workers)));
    grid.put(0, Painter.BODY, summary);
    Table table =
        new Table(
            grid.width(),
            List.of(
                Table.Column.flexible("HOST", 14, 100),
                Table.Column.right("PID", 7, 90),
                Table.Column.left("STATUS", 8, 80),
                Table.Column.left("", GAUGE, 40),
                Table.Column.right("BUSY", 9, 85),
                Table.Column.flexible("QUEUES", 14, 70),
                Table.Column.right("STARTED", 10, 50),
                Table.Column.right("BEAT", 5, 45),
                Table.Column.left("ID", 36, 10)));
    Listing<ServerSnapshot> listing =
        new Listing<>(table, servers, server -> cells(server, model.now()));
    if (!listing.paint(grid, model, view, Painter.BODY + 1)) {
      Painter.empty(
          grid,
          Painter.BODY + 2,
          model,
          view.servers() != null,
          view.nothing(),
          view.search().isEmpty() ? "No server is live." : "No server matches.");
    }
  }

  private static List<List<Span>> cells(ServerSnapshot server, Instant now) {
    return List.of(
        Table.text(server.host()),
        Table.text(Integer.toString(server.pid())),
        Table.text(server.status(), statusStyle(server)),
        Charts.gauge(server.activeWorkers(), server.concurrency(), GAUGE),
        Table.text(server.activeWorkers() + "/" + server.concurrency()),
        Table.text(queues(server)),
        Table.text(Figures.ago(server.started(), now)),
        Table.text(Figures.age(server.heartbeatAge())),
        Table.text(server.id(), Style.DIM));
  }

  private static Style statusStyle(ServerSnapshot server) {
    return server.problem() != null
        ? Style.BAD
        : server.status().equals("active") ? Style.GOOD : Style.WARN;
  }

  private static String queues(ServerSnapshot server) {
    return server.queues().entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .map(queue -> queue.getKey() + ":" + queue.getValue())
        .collect(Collectors.joining(" "));
  }

  static void paint(Grid grid, Model model, ServerView view) {
    Optional<ServerSnapshot> found = view.server();
    int y = Painter.BODY;
    if (found.isEmpty()) {
      Painter.empty(grid, y, model, view.servers() != null, null, "This server is gone.");
      return;
    }
    ServerSnapshot server = found.get();
    grid.put(
        0,
        y,
        List.of(
            Span.bold(" " + server.host() + ":" + server.pid()),
            Span.dim("  id "),
            Span.plain(server.id())));
    List<Span> load = new ArrayList<>();
    load.add(Span.dim(" workers  "));
    load.addAll(Charts.gauge(server.activeWorkers(), server.concurrency(), 20));
    load.add(Span.plain(" " + server.activeWorkers() + " of " + server.concurrency() + " busy"));
    grid.put(0, y + 1, load);
    grid.put(
        0,
        y + 2,
        List.of(
            Span.dim(" status   "),
            Span.plain(
                server.problem() == null
                    ? server.status()
                    : server.status() + " (" + server.problem() + ")"),
            Span.dim(", heartbeat "),
            Span.plain(Figures.age(server.heartbeatAge()) + " ago")));
    grid.put(
        0,
        y + 3,
        List.of(
            Span.dim(" started  "),
            Span.plain(Figures.at(server.started(), model.now(), model.zone()))));
    grid.put(
        0,
        y + 4,
        List.of(
            Span.dim(" queues   "),
            Span.plain(
                queues(server) + (server.strictPriority() ? " (strictly in this order)" : ""))));
    workers(grid, model, view, y + 5);
  }

  private static void workers(Grid grid, Model model, ServerView view, int header) {
    Table table =
        new Table(
            grid.width(),
            List.of(
                Table.Column.flexible("TASK", 14, 100),
                Table.Column.flexible("TYPE", 14, 90),
                Table.Column.left("QUEUE", 12, 80),
                Table.Column.right("RUNS FOR", 8, 70),
                Table.Column.right("DEADLINE", 9, 60),
                Table.Column.flexible("PAYLOAD", 12, 50)));
    Listing<WorkerSnapshot> listing =
        new Listing<>(table, view.list(), worker -> cells(worker, model.now()));
    if (!listing.paint(grid, model, view, header)) {
      Painter.empty(
          grid,
          header + 1,
          model,
          /* isKnown= */ true,
          null,
          view.search().isEmpty() ? "It works on nothing." : "No task matches.");
    }
  }

  private static List<List<Span>> cells(WorkerSnapshot worker, Instant now) {
    return List.of(
        Table.text(worker.taskId()),
        worker.problem() == null
            ? Table.text(worker.taskType())
            : Table.text("(unreadable)", Style.BAD),
        Table.text(worker.queue()),
        Table.text(Figures.ago(worker.started(), now).replace(" ago", "")),
        Table.text(Figures.in(worker.deadline(), now)),
        Table.text(PayloadText.preview(worker.taskPayload())));
  }
}
