package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.inspect.TaskPage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** L: how long a search of a large archive takes, and how long its calls block Redis. */
@Command(
    name = "search",
    description = "L: search a large archive, and measure how long each call blocks Redis.")
final class ArchiveSearchBenchmark extends LoadBenchmark {

  private static final int FULL_TASKS = 1_000_000;
  private static final int MATCHES = 10;

  /** Below this, SLOWLOG would also record the commands that scripts run. */
  private static final long FASTEST_CALL_MICROS = 50;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      description = "Number of tasks in the archive. Default: 1000000.")
  private @Nullable Integer wanted;

  @Override
  boolean isFullSize() {
    return super.isFullSize() && (wanted == null || wanted >= FULL_TASKS);
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    int tasks = wanted != null ? wanted : size(FULL_TASKS, 2_000);
    QueueName queue = redis.newQueue();
    Inspector inspector =
        Inspector.builder(redis.connection())
            .archive(archive -> archive.maxSize(Integer.MAX_VALUE))
            .build();
    BenchmarkTasks.fill(redis, List.of(queue), tasks);
    inspector.queue(queue).archiveAll(TaskState.PENDING);
    Selection archived = inspector.queue(queue).select(TaskState.ARCHIVED);
    // Warm-up.
    archived.find(1_000);

    long start = System.nanoTime();
    TaskPage near = archived.where(newest(tasks)).find(MATCHES);
    double firstMillis = (System.nanoTime() - start) / 1e6;

    redis.logCalls(FASTEST_CALL_MICROS);
    start = System.nanoTime();
    TaskPage all = archived.where(TaskFilter.type("nothing:*")).find(1);
    double seconds = (System.nanoTime() - start) / 1e9;
    LatencyRecorder calls = new LatencyRecorder();
    redis.loggedCalls().forEach(micros -> calls.add(micros * 1_000));
    if (near.tasks().size() != MATCHES || all.looked() != tasks) {
      throw new IllegalStateException(
          "found %d of %d, scanned %d of %d"
              .formatted(near.tasks().size(), MATCHES, all.looked(), tasks));
    }

    List<String> columns =
        new ArrayList<>(
            List.of("tasks", "first matches ms", "complete scan s", "tasks/s", "calls"));
    columns.addAll(LatencyRecorder.COLUMNS.subList(1, LatencyRecorder.COLUMNS.size()));
    List<Object> row =
        new ArrayList<>(List.of(tasks, firstMillis, seconds, tasks / seconds, calls.count()));
    row.addAll(calls.row().subList(1, LatencyRecorder.COLUMNS.size()));
    report.table(
        "Search in the archive, and duration of its calls in Redis", columns, List.of(row));
    report.figure("tasksPerSecond", tasks / seconds);
    report.figure("firstHitsMillis", firstMillis);
    report.figure("callP999Millis", calls.millis(0.999));
    report.bar(Threshold.atMost("first matches near the start, ms", firstMillis, 1_000));
    report.bar(Threshold.atMost("a call in Redis, p99.9 ms", calls.millis(0.999), 5));
  }

  /** One of the thousand tasks that were archived last. */
  private static TaskFilter newest(int tasks) {
    return TaskFilter.of(
        task -> BenchmarkTasks.stampOf(Task.of(task.type(), task.payload())) >= tasks - 1_000);
  }
}
