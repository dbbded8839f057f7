package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.InterleavedMeasurements;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ReferenceMeasurements;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.RateTable;
import io.asynq4j.benchmarks.report.Threshold;
import java.util.List;
import picocli.CommandLine.Command;

/** G: the cost of many queues. */
@Command(
    name = "queues",
    description =
        "G: process the same tasks in 1, 100 and 10,000 queues, and in one busy queue among idle ones.")
final class ManyQueuesBenchmark extends LoadBenchmark {

  private static final int CONCURRENCY = 100;
  private static final String NAIVE = "N: naive loop, 10 workers";
  private static final String LIMIT = "L(100): bare client";
  private static final String ONE = "1 queue";

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    int tasks = size(200_000, 2_000);
    int some = size(100, 10);
    int many = size(10_000, 100);
    String hundred = "%,d queues".formatted(some);
    String spread = "%,d queues".formatted(many);
    String busy = "1 queue and %,d idle".formatted(many - 1);
    InterleavedMeasurements turns =
        new InterleavedMeasurements()
            .add(
                NAIVE,
                () -> ReferenceMeasurements.naive(redis, redis.uri(), Math.max(1, tasks / 20)))
            .add(
                LIMIT,
                () -> {
                  Measurement cell =
                      ReferenceMeasurements.limit(redis, redis.uri(), tasks, CONCURRENCY);
                  redis.clear();
                  return cell;
                })
            .add(ONE, () -> drain(redis, 1, 0, tasks))
            .add(hundred, () -> drain(redis, some, 0, tasks))
            .add(spread, () -> drain(redis, many, 0, tasks))
            .add(busy, () -> drain(redis, 1, many - 1, tasks))
            .run(size(3, 1));
    RateTable rates = new RateTable("of one queue");
    rates.add(NAIVE, turns.total(NAIVE));
    rates.add(LIMIT, turns.total(LIMIT));
    for (String what : List.of(ONE, hundred, spread, busy)) {
      rates.add(what, turns.total(what), turns.ratio(what, ONE));
    }
    rates.into(report, "Drain at concurrency 100");
    report.figure("tasksPerSecond", turns.total(ONE).tasksPerSecond());
    report.figure("ofOneQueue", turns.ratio(spread, ONE));
    report.figure("oneBusyOfOneQueue", turns.ratio(busy, ONE));
    report.bar(Threshold.atLeast(many + " queues, of one queue", turns.ratio(spread, ONE), 0.5));
    report.bar(
        Threshold.atLeast(
            "one busy among " + many + ", of one queue", turns.ratio(busy, ONE), 0.8));
  }

  private static Measurement drain(BenchmarkRedis redis, int busy, int idle, int tasks) {
    List<QueueName> queues = BenchmarkTasks.queues(redis, busy + idle);
    BenchmarkTasks.fill(redis, queues.subList(0, busy), tasks);
    try {
      return MeasuredServer.drain(redis, redis.uri(), queues, tasks, CONCURRENCY);
    } finally {
      redis.clear();
    }
  }
}
