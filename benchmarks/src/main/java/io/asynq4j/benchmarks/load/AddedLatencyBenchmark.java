package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.DelayProxy;
import io.asynq4j.benchmarks.harness.InterleavedMeasurements;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ReferenceMeasurements;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.RateTable;
import io.asynq4j.benchmarks.report.Threshold;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** K: the cost of network latency. */
@Command(
    name = "latency",
    description = "K: drain a queue with 0, 1 and 2 ms added to every round trip to Redis.")
final class AddedLatencyBenchmark extends LoadBenchmark {

  private static final int CONCURRENCY = 1000;
  private static final List<Integer> DELAYS = List.of(0, 1, 2);

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) {
    int tasks = size(100_000, 2_000);
    InterleavedMeasurements turns = new InterleavedMeasurements();
    for (int millis : DELAYS) {
      Duration delay = Duration.ofMillis(millis);
      turns.add(naive(millis), () -> naive(redis, delay, Math.max(1, tasks / 100)));
      turns.add(limit(millis), () -> limit(redis, delay, tasks));
      turns.add(server(millis), () -> drain(redis, delay, tasks));
    }
    turns.run(size(3, 1));
    RateTable rates = new RateTable("of 0 ms", "× N", "of L");
    for (int millis : DELAYS) {
      rates.add(naive(millis), turns.total(naive(millis)));
      rates.add(limit(millis), turns.total(limit(millis)));
      double ofNoDelay = turns.ratio(server(millis), server(0));
      rates.add(
          server(millis),
          turns.total(server(millis)),
          ofNoDelay,
          turns.ratio(server(millis), naive(millis)),
          turns.ratio(server(millis), limit(millis)));
      report.figure(
          "tasksPerSecondWith" + millis + "Millis", turns.total(server(millis)).tasksPerSecond());
      if (millis == 1) {
        report.bar(
            Threshold.atLeast("drain with 1 ms at concurrency 1000, of 0 ms", ofNoDelay, 0.5));
      }
    }
    rates.into(
        report,
        "Drain at concurrency 1000 through a proxy, whose own work is part of the CPU of the JVM");
  }

  private static String naive(int millis) {
    return "N with " + millis + " ms";
  }

  private static String limit(int millis) {
    return "L(" + CONCURRENCY + ") with " + millis + " ms";
  }

  private static String server(int millis) {
    return "server with " + millis + " ms";
  }

  private static Measurement naive(BenchmarkRedis redis, Duration delay, int tasks) {
    try (DelayProxy proxy = new DelayProxy(redis.uri(), delay)) {
      return ReferenceMeasurements.naive(redis, proxy.uri(), tasks);
    } finally {
      redis.clear();
    }
  }

  private static Measurement limit(BenchmarkRedis redis, Duration delay, int tasks) {
    try (DelayProxy proxy = new DelayProxy(redis.uri(), delay)) {
      return ReferenceMeasurements.limit(redis, proxy.uri(), tasks, CONCURRENCY);
    } finally {
      redis.clear();
    }
  }

  private static Measurement drain(BenchmarkRedis redis, Duration delay, int tasks) {
    List<QueueName> queue = BenchmarkTasks.queues(redis, 1);
    BenchmarkTasks.fill(redis, queue, tasks);
    try (DelayProxy proxy = new DelayProxy(redis.uri(), delay)) {
      return MeasuredServer.drain(redis, proxy.uri(), queue, tasks, CONCURRENCY);
    } finally {
      redis.clear();
    }
  }
}
