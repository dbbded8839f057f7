package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.LatencyRecorder;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;

/** D: how late scheduled tasks start. */
@Command(
    name = "due",
    description = "D: measure how late tasks start that are due at random times.")
final class DuePrecisionBenchmark extends LoadBenchmark {

  /** Enough time to enqueue all tasks before the first one is due. */
  private Duration lead() {
    return Duration.ofSeconds(size(3, 1));
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    int tasks = size(20_000, 300);
    List<List<Object>> rows = new ArrayList<>();
    run(redis, Math.max(1, tasks / 20), Duration.ofSeconds(1), /* precise= */ false, "", rows);
    rows.clear();
    Duration span = Duration.ofSeconds(size(60, 1));
    double whole = run(redis, tasks, span, /* precise= */ false, "whole seconds", rows);
    double precise = run(redis, tasks, span, /* precise= */ true, "milliseconds", rows);
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(LatencyRecorder.COLUMNS);
    columns.addAll(List.of("early", "Redis CPU µs/task", "JVM CPU µs/task"));
    report.table(
        "From the time a task is due to the start of its handler, by the clock of Redis",
        columns,
        rows);
    report.figure("p99MillisWholeSeconds", whole);
    report.figure("p99MillisPrecise", precise);
    report.bar(Threshold.atMost("lateness with whole seconds, p99 ms", whole, 1_100));
    report.bar(Threshold.atMost("lateness with milliseconds, p99 ms", precise, 20));
  }

  /** Returns the 99th percentile in milliseconds. */
  private double run(
      BenchmarkRedis redis,
      int tasks,
      Duration span,
      boolean precise,
      String what,
      List<List<Object>> rows) {
    QueueName queue = redis.newQueue();
    Clock clock = redis.connection().clock();
    LatencyRecorder lateness = new LatencyRecorder();
    AtomicLong early = new AtomicLong();
    MeasuredServer.Countdown all = new MeasuredServer.Countdown(tasks);
    Handler<Task> handler =
        (task, context) -> {
          Instant due = Instant.ofEpochMilli(BenchmarkTasks.stampOf(task));
          long late = Duration.between(due, clock.instant()).toNanos();
          if (late < 0) {
            early.incrementAndGet();
          }
          lateness.add(late);
          return Outcome.done();
        };
    ResourceUsage before = redis.usage();
    try (TaskClient client = TaskClient.create(redis.connection());
        MeasuredServer served =
            MeasuredServer.start(
                redis.uri(),
                List.of(queue),
                100,
                handler,
                server -> server.listener(MeasuredServer.onCompleted(task -> all.one())))) {
      served.requireRunning();
      Instant first = clock.instant().plus(lead());
      List<EnqueueRequest> requests = new ArrayList<>(tasks);
      for (int i = 0; i < tasks; i++) {
        long due = first.toEpochMilli() + ThreadLocalRandom.current().nextLong(span.toMillis());
        requests.add(
            BenchmarkTasks.request(
                queue,
                due,
                options -> {
                  options.processAt(Instant.ofEpochMilli(due));
                  return precise ? options.precise() : options;
                }));
      }
      client.enqueueAll(requests).forEach(EnqueueResult::orThrow);
      all.await();
    }
    Measurement cell = new Measurement(0, tasks, redis.usage().since(before));
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(lateness.row());
    row.addAll(List.of(early.get(), cell.redisMicrosPerTask(), cell.jvmMicrosPerTask()));
    rows.add(row);
    return lateness.millis(0.99);
  }
}
