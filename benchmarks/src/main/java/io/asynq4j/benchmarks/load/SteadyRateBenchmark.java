package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ReferenceMeasurements;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * B: latency at a steady rate. The producer keeps to its schedule, and times count from when a task
 * should have been enqueued, so that a stall is included in the figures.
 */
@Command(
    name = "steady",
    description = "B: measure latencies at 1,000, 5,000 and 20,000 tasks per second, open loop.")
final class SteadyRateBenchmark extends LoadBenchmark {

  private static final int CONCURRENCY = 100;

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    List<List<Object>> rows = new ArrayList<>();
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(LatencyRecorder.COLUMNS);
    columns.addAll(List.of("Redis CPU µs/task", "JVM CPU µs/task"));
    row(
        rows,
        "reference: a round trip",
        ReferenceMeasurements.roundTrips(redis, redis.uri(), size(5_000, 50)),
        null);
    for (int rate : isQuick() ? List.of(200, 500) : List.of(1_000, 5_000, 20_000)) {
      LatencyRecorder started = new LatencyRecorder();
      LatencyRecorder settled = new LatencyRecorder();
      Measurement cell = run(redis, rate, started, settled);
      row(rows, "%,d/s: enqueue to start".formatted(rate), started, cell);
      row(rows, "%,d/s: enqueue to settled".formatted(rate), settled, cell);
      report.figure("startP99MillisAt" + rate, started.millis(0.99));
      if (rate == 5_000) {
        report.bar(Threshold.atMost("5,000/s, enqueue to start, p99 ms", started.millis(0.99), 25));
      }
    }
    report.table("At a steady rate, from when a task should have been enqueued", columns, rows);
  }

  private static void row(
      List<List<Object>> rows, String what, LatencyRecorder latencies, @Nullable Measurement cell) {
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(latencies.row());
    row.add(cell == null ? "" : cell.redisMicrosPerTask());
    row.add(cell == null ? "" : cell.jvmMicrosPerTask());
    rows.add(row);
  }

  private Measurement run(
      BenchmarkRedis redis, int rate, LatencyRecorder started, LatencyRecorder settled) {
    QueueName queue = redis.newQueue();
    int warmUp = rate * size(5, 1);
    int tasks = rate * size(20, 1);
    long interval = Duration.ofSeconds(1).toNanos() / rate;
    MeasuredServer.Countdown all = new MeasuredServer.Countdown(warmUp + tasks);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Handler<Task> handler =
        (task, context) -> {
          measured(task, started);
          return Outcome.done();
        };
    try (TaskClient client = TaskClient.create(redis.connection());
        MeasuredServer served =
            MeasuredServer.start(
                redis.uri(),
                List.of(queue),
                CONCURRENCY,
                handler,
                server ->
                    server.listener(
                        MeasuredServer.onCompleted(
                            ref -> {
                              measured(ref.task(), settled);
                              all.one();
                            })))) {
      served.requireRunning();
      ResourceUsage before = redis.usage();
      long start = System.nanoTime();
      for (int i = 0; i < warmUp + tasks; i++) {
        long due = start + i * interval;
        if (i == warmUp) {
          before = redis.usage();
        }
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        client
            .enqueueAsync(BenchmarkTasks.request(queue, i < warmUp ? 0 : due))
            .whenComplete(
                (result, error) -> {
                  if (error != null) {
                    failure.compareAndSet(null, error);
                  } else {
                    result.orThrow();
                  }
                });
      }
      all.await();
      if (failure.get() != null) {
        throw new IllegalStateException("enqueue failed", failure.get());
      }
      return new Measurement(0, tasks, redis.usage().since(before));
    }
  }

  private static void measured(Task task, LatencyRecorder latencies) {
    long stamp = BenchmarkTasks.stampOf(task);
    if (stamp != 0) {
      latencies.add(System.nanoTime() - stamp);
    }
  }
}
