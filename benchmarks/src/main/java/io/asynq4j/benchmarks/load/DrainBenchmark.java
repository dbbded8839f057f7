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
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A: how fast the tasks of a full queue are processed. */
@Command(
    name = "drain",
    description = "A: process empty tasks as fast as possible, also with an append-only file.")
final class DrainBenchmark extends LoadBenchmark {

  private static final String NAIVE = "N: naive loop, 10 workers";
  private static final int FULL_TASKS = 500_000;
  private static final int MAX_ROUNDS = 5;
  private static final int MIN_PER_ROUND = 50_000;

  /** Thresholds at a concurrency: multiple of N, and fraction of L. */
  private record Wanted(double timesNaive, double ofLimit) {}

  private static final Map<Integer, Wanted> WANTED =
      Map.of(10, new Wanted(3, 0.7), 100, new Wanted(6, 0.65), 1000, new Wanted(8, 0.6));

  @Option(
      names = "--tasks",
      paramLabel = "N",
      description = "Number of tasks in each run. Default: 500000.")
  private @Nullable Integer tasks;

  @Option(
      names = "--concurrency",
      paramLabel = "C",
      split = ",",
      description =
          "Concurrency values of the server, separated by commas; one run each. Default: 10,100,1000.")
  private List<Integer> concurrencies = List.of(10, 100, 1000);

  @Override
  boolean isFullSize() {
    return super.isFullSize() && (tasks == null || tasks >= FULL_TASKS);
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws Exception {
    int count = tasks != null ? tasks : size(FULL_TASKS, 4_000);
    RateTable rates = new RateTable("× N", "of L");
    for (int concurrency : concurrencies) {
      String limit = "L(" + concurrency + "): bare client";
      String server = "server, concurrency " + concurrency;
      InterleavedMeasurements turns = inTurn(redis, count, concurrency, limit, server);
      double timesNaive = turns.ratio(server, NAIVE);
      double ofLimit = turns.ratio(server, limit);
      Measurement drained = turns.total(server);
      rates.add(NAIVE, turns.total(NAIVE));
      rates.add(limit, turns.total(limit));
      rates.add(server, drained, timesNaive, ofLimit);
      report.figure("concurrency", concurrency);
      report.figure("tasksPerSecond", drained.tasksPerSecond());
      report.figure("redisMicrosPerTask", drained.redisMicrosPerTask());
      report.figure("jvmMicrosPerTask", drained.jvmMicrosPerTask());
      report.figure("timesNaive", timesNaive);
      report.figure("ofLimit", ofLimit);
      Wanted wanted = WANTED.get(concurrency);
      if (wanted != null) {
        String what = "drain at concurrency " + concurrency;
        report.bar(Threshold.atLeast(what + ", times N", timesNaive, wanted.timesNaive()));
        report.bar(Threshold.atLeast(what + ", of L", ofLimit, wanted.ofLimit()));
      }
    }
    rates.into(report, "Drain, nothing kept on disk");
    if (!isGivenRedis()) {
      withAof(report, Math.max(1, count / 5));
    }
  }

  private static InterleavedMeasurements inTurn(
      BenchmarkRedis redis, int tasks, int concurrency, String limit, String server) {
    int rounds = Math.max(1, Math.min(MAX_ROUNDS, tasks / MIN_PER_ROUND));
    int count = tasks / rounds;
    return new InterleavedMeasurements()
        .add(NAIVE, () -> ReferenceMeasurements.naive(redis, redis.uri(), Math.max(1, count / 10)))
        .add(
            limit,
            () -> {
              Measurement cell =
                  ReferenceMeasurements.limit(redis, redis.uri(), count, concurrency);
              redis.clear();
              return cell;
            })
        .add(server, () -> drain(redis, count, concurrency))
        .run(rounds);
  }

  private static Measurement drain(BenchmarkRedis redis, int count, int concurrency) {
    List<QueueName> queue = BenchmarkTasks.queues(redis, 1);
    BenchmarkTasks.fill(redis, queue, count);
    try {
      return MeasuredServer.drain(redis, redis.uri(), queue, count, concurrency);
    } finally {
      redis.clear();
    }
  }

  private void withAof(LoadReport report, int count) throws Exception {
    RateTable rates = new RateTable();
    for (String fsync : List.of("everysec", "always")) {
      Path directory = Files.createTempDirectory("asynq4j-bench-");
      try (BenchmarkRedis redis = BenchmarkRedis.persistent(directory, fsync)) {
        for (int concurrency : concurrencies) {
          rates.add(
              "server, concurrency %d, AOF %s".formatted(concurrency, fsync),
              drain(redis, count, concurrency));
        }
      } finally {
        try (Stream<Path> files = Files.walk(directory)) {
          files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
      }
    }
    rates.into(report, "Drain with an append-only file");
  }
}
