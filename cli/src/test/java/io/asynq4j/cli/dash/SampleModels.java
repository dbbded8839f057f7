package io.asynq4j.cli.dash;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.FetchResult;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.QueueRow;
import io.asynq4j.cli.dash.data.QueueTotals;
import io.asynq4j.cli.dash.data.Trend;
import io.asynq4j.cli.dash.input.KeyController;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.render.ScreenPainter;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.DayCount;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Sample models for tests of the views. */
public final class SampleModels {

  public static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private SampleModels() {}

  public static DashModel model(ScreenSize size) {
    return DashModel.start(
        "standalone localhost:6379", ZoneOffset.UTC, size, NOW, Duration.ofSeconds(2));
  }

  /** With the overview of three queues. */
  public static DashModel queues() {
    return queues(ScreenSize.USUAL);
  }

  public static DashModel queues(ScreenSize size) {
    return model(size).heard(batch(overview(), null));
  }

  public static FetchResult batch(QueryResult.Overview overview, @Nullable QueryResult answer) {
    return new FetchResult(overview, answer, NOW, Duration.ofNanos(300_000));
  }

  public static QueryResult.Overview overview() {
    return overview(
        List.of(
            row("critical", 5, 0, 0, null),
            row("default", 1_200, 30, 12, null),
            row("mail", 40, 4, 3, NOW.minusSeconds(90))));
  }

  public static QueryResult.Overview overview(List<QueueRow> rows) {
    Trend trend = new Trend(12.5, List.of(0.0, 5.0, 10.0, 12.5), List.of(0.0, 1.0, 2.0, 3.0));
    return new QueryResult.Overview(
        rows,
        new QueueTotals(rows.size(), rows.size(), Map.of(TaskState.PENDING, 1_245L), 12.5, trend));
  }

  public static QueryResult.Overview manyQueues(int count) {
    return overview(
        IntStream.range(0, count).mapToObj(i -> row("q%05d".formatted(i), i, 0, 0, null)).toList());
  }

  public static QueueRow row(
      String name, long pending, long archived, long failed, @Nullable Instant paused) {
    QueueSnapshot snapshot =
        QueueSnapshot.builder(name, NOW)
            .sizes(
                Map.of(
                    TaskState.PENDING,
                    pending,
                    TaskState.ACTIVE,
                    2L,
                    TaskState.ARCHIVED,
                    archived,
                    TaskState.AGGREGATING,
                    3L))
            .groups(1)
            .processedToday(1_000)
            .failedToday(failed)
            .processed(50_000)
            .failed(700)
            .oldestPendingSince(NOW.minusMillis(1_500))
            .pausedSince(paused)
            .build();
    Trend trend =
        new Trend(3.5, List.of(0.0, 1.0, 2.0, 4.0, 3.5), List.of(0.0, 0.5, 1.0, 1.5, 1.5));
    return new QueueRow(name, snapshot, 123_456, trend, null);
  }

  public static TaskInfo task(String id, TaskState state) {
    return task(id, state, Payload.ofUtf8("{\"user\":42,\"tags\":[\"a\",\"b\"]}"));
  }

  static TaskInfo task(String id, TaskState state, Payload payload) {
    boolean hasFailed = state == TaskState.RETRY || state == TaskState.ARCHIVED;
    return TaskInfo.builder(id, QueueName.of("mail"), "email:welcome")
        .payload(payload)
        .headers(Map.of("trace", "t-1"))
        .state(state)
        .retried(hasFailed ? 3 : 0)
        .lastError(hasFailed ? "connection refused" : "")
        .lastFailedAt(hasFailed ? NOW.minusSeconds(60) : null)
        .timeout(Duration.ofMinutes(30))
        .group(state == TaskState.AGGREGATING ? "digest" : "")
        .nextProcessAt(
            state == TaskState.RETRY || state == TaskState.SCHEDULED ? NOW.plusSeconds(300) : null)
        .completedAt(state == TaskState.COMPLETED ? NOW.minusSeconds(5) : null)
        .result(state == TaskState.COMPLETED ? Payload.ofUtf8("sent") : Payload.absent())
        .since(state == TaskState.PENDING ? NOW.minusSeconds(7) : null)
        .build();
  }

  public static List<TaskInfo> tasks(TaskState state, int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> task("task-%03d".formatted(i), state))
        .toList();
  }

  /** The result of any query of the model. */
  public static DashModel withTasks(
      DashModel model, List<TaskInfo> tasks, long total, @Nullable String cursor) {
    Query.Tasks wish = (Query.Tasks) model.wish();
    return model.heard(
        batch(
            overview(),
            new QueryResult.Tasks(wish, tasks, List.of(), total, cursor, tasks.size(), NOW)));
  }

  /** Increasing numbers of processed tasks in ninety days. */
  public static QueryResult.History history(String queue) {
    LocalDate today = LocalDate.ofInstant(NOW, ZoneOffset.UTC);
    return new QueryResult.History(
        new Query.History(queue, 90),
        IntStream.range(0, 90)
            .mapToObj(
                ago ->
                    DayCount.of(
                        today.minusDays(ago),
                        ZoneOffset.UTC,
                        ago > 60 ? 0 : 10L * (90 - ago),
                        ago % 3 == 0 && ago < 50 ? 90 - ago : 0))
            .toList());
  }

  public static ServerSnapshot server(String id, int pid, String status, int busy) {
    return ServerSnapshot.builder(id)
        .host("host-a")
        .pid(pid)
        .concurrency(10)
        .queues(Map.of("default", 1, "critical", 6))
        .status(status)
        .started(NOW.minusSeconds(3_700))
        .heartbeatAge(Duration.ofSeconds(2))
        .activeWorkers(busy)
        .workers(
            List.of(
                WorkerSnapshot.builder("task-001")
                    .taskType("email:welcome")
                    .taskPayload(Payload.ofUtf8("{}"))
                    .queue("default")
                    .started(NOW.minusSeconds(12))
                    .deadline(NOW.plusSeconds(1_700))
                    .build()))
        .build();
  }

  public static ScheduleSnapshot schedule(
      String id, boolean isRemembered, @Nullable Instant paused) {
    return ScheduleSnapshot.builder(id, "*/5 * * * *")
        .taskType("report:daily")
        .taskPayload(Payload.ofUtf8("{}"))
        .options(TaskOptions.of(options -> options.queue("mail")))
        .next(NOW.plusSeconds(120))
        .previous(NOW.minusSeconds(180))
        .pausedSince(paused)
        .isLive(true)
        .isRemembered(isRemembered)
        .build();
  }

  /** Presses keys one after the other, without their effects on Redis. */
  public static DashModel press(DashModel model, String keys) {
    DashModel now = model;
    for (int i = 0; i < keys.length(); i++) {
      now = KeyController.press(now, Key.of(keys.charAt(i))).model();
    }
    return now;
  }

  public static DashModel press(DashModel model, Key.Code code) {
    return KeyController.press(model, Key.of(code)).model();
  }

  public static String text(DashModel model) {
    return ScreenPainter.paint(model).text();
  }
}
