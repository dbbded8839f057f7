package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ReferenceMeasurements;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.RateTable;
import io.asynq4j.handler.Outcome;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** F: many tasks that all fail once. */
@Command(
    name = "retry-storm",
    description = "F: process tasks that fail once and succeed a second later.")
final class RetryStormBenchmark extends LoadBenchmark {

  private static final int CONCURRENCY = 100;

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    int tasks = size(100_000, 1_000);
    RateTable rates = new RateTable("of L");
    storm(redis, Math.max(1, tasks / 10));
    rates.add(
        "N: naive loop, none fails",
        ReferenceMeasurements.naive(redis, redis.uri(), Math.max(1, tasks / 10)));
    Measurement limit = ReferenceMeasurements.limit(redis, redis.uri(), tasks, CONCURRENCY);
    rates.add("L(100), none fails", limit);
    redis.clear();
    Measurement storm = storm(redis, tasks);
    rates.add("server, each fails once", storm, storm.tasksPerSecond() / limit.tasksPerSecond());
    rates.into(
        report, "Retry storm at concurrency 100; each task runs twice, the second time after 1 s");
    report.figure("tasksPerSecond", storm.tasksPerSecond());
  }

  private static Measurement storm(BenchmarkRedis redis, int tasks) {
    List<QueueName> queue = BenchmarkTasks.queues(redis, 1);
    BenchmarkTasks.fill(redis, queue, tasks);
    try {
      return MeasuredServer.drain(
          redis,
          redis.uri(),
          queue,
          tasks,
          CONCURRENCY,
          (task, context) ->
              context.retryCount() == 0
                  ? Outcome.retry("the first time", Duration.ofSeconds(1))
                  : Outcome.done(),
          server -> server);
    } finally {
      redis.clear();
    }
  }
}
