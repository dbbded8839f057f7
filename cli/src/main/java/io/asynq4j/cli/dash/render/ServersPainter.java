package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.view.ServerView;
import io.asynq4j.cli.dash.view.ServersView;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Paints servers, and one server with its running tasks. */
final class ServersPainter {

  private static final int GAUGE = 10;

  private ServersPainter() {}

  static void paint(CharacterGrid grid, DashModel model, ServersView view) {
    List<ServerSnapshot> servers = view.list();
    long workers = servers.stream().mapToLong(ServerSnapshot::concurrency).sum();
    long busy = servers.stream().mapToLong(ServerSnapshot::activeWorkers).sum();
    List<StyledText> summary = new ArrayList<>();
    summary.add(StyledText.bold(" " + CompactFormatter.counted(servers.size(), "server")));
    summary.add(StyledText.dim("  busy workers "));
    summary.addAll(Charts.gauge(busy, workers, 20));
    summary.add(
        StyledText.plain(
            " " + CompactFormatter.count(busy) + " of " + CompactFormatter.count(workers)));
    grid.put(0, ScreenPainter.BODY, summary);
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
    ScrollableTable<ServerSnapshot> listing =
        new ScrollableTable<>(table, servers, server -> cells(server, model.now()));
    if (!listing.paint(grid, model, view, ScreenPainter.BODY + 1)) {
      ScreenPainter.empty(
          grid,
          ScreenPainter.BODY + 2,
          model,
          view.servers() != null,
          view.nothing(),
          view.search().isEmpty() ? "No live servers." : "No matching servers.");
    }
  }

  private static List<List<StyledText>> cells(ServerSnapshot server, Instant now) {
    return List.of(
        Table.text(server.host()),
        Table.text(Integer.toString(server.pid())),
        Table.text(server.status(), statusStyle(server)),
        Charts.gauge(server.activeWorkers(), server.concurrency(), GAUGE),
        Table.text(server.activeWorkers() + "/" + server.concurrency()),
        Table.text(queues(server)),
        Table.text(CompactFormatter.ago(server.started(), now)),
        Table.text(CompactFormatter.age(server.heartbeatAge())),
        Table.text(server.id(), Style.DIM));
  }

  private static Style statusStyle(ServerSnapshot server) {
    return server.problem() != null ? Style.BAD : server.isActive() ? Style.GOOD : Style.WARN;
  }

  private static String queues(ServerSnapshot server) {
    return server.queues().entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .map(queue -> queue.getKey() + ":" + queue.getValue())
        .collect(Collectors.joining(" "));
  }

  static void paint(CharacterGrid grid, DashModel model, ServerView view) {
    Optional<ServerSnapshot> found = view.server();
    int y = ScreenPainter.BODY;
    if (found.isEmpty()) {
      ScreenPainter.empty(
          grid, y, model, view.servers() != null, null, "This server is no longer running.");
      return;
    }
    ServerSnapshot server = found.get();
    grid.put(
        0,
        y,
        List.of(
            StyledText.bold(" " + server.host() + ":" + server.pid()),
            StyledText.dim("  id "),
            StyledText.plain(server.id())));
    List<StyledText> load = new ArrayList<>();
    load.add(StyledText.dim(" workers  "));
    load.addAll(Charts.gauge(server.activeWorkers(), server.concurrency(), 20));
    load.add(
        StyledText.plain(" " + server.activeWorkers() + " of " + server.concurrency() + " busy"));
    grid.put(0, y + 1, load);
    grid.put(
        0,
        y + 2,
        List.of(
            StyledText.dim(" status   "),
            StyledText.plain(
                server.problem() == null
                    ? server.status()
                    : server.status() + " (" + server.problem() + ")"),
            StyledText.dim(", heartbeat "),
            StyledText.plain(CompactFormatter.age(server.heartbeatAge()) + " ago")));
    grid.put(
        0,
        y + 3,
        List.of(
            StyledText.dim(" started  "),
            StyledText.plain(CompactFormatter.at(server.started(), model.now(), model.zone()))));
    grid.put(
        0,
        y + 4,
        List.of(
            StyledText.dim(" queues   "),
            StyledText.plain(
                queues(server) + (server.strictPriority() ? " (strict priority)" : ""))));
    workers(grid, model, view, y + 5);
  }

  private static void workers(CharacterGrid grid, DashModel model, ServerView view, int header) {
    Table table =
        new Table(
            grid.width(),
            List.of(
                Table.Column.flexible("TASK", 14, 100),
                Table.Column.flexible("TYPE", 14, 90),
                Table.Column.left("QUEUE", 12, 80),
                Table.Column.right("RUNTIME", 8, 70),
                Table.Column.right("DEADLINE", 9, 60),
                Table.Column.flexible("PAYLOAD", 12, 50)));
    ScrollableTable<WorkerSnapshot> listing =
        new ScrollableTable<>(table, view.list(), worker -> cells(worker, model.now()));
    if (!listing.paint(grid, model, view, header)) {
      ScreenPainter.empty(
          grid,
          header + 1,
          model,
          /* isKnown= */ true,
          null,
          view.search().isEmpty() ? "No running tasks." : "No matching tasks.");
    }
  }

  private static List<List<StyledText>> cells(WorkerSnapshot worker, Instant now) {
    return List.of(
        Table.text(worker.taskId()),
        worker.problem() == null
            ? Table.text(worker.taskType())
            : Table.text("(unreadable)", Style.BAD),
        Table.text(worker.queue()),
        Table.text(CompactFormatter.ago(worker.started(), now).replace(" ago", "")),
        Table.text(CompactFormatter.in(worker.deadline(), now)),
        Table.text(PayloadRenderer.preview(worker.taskPayload())));
  }
}
