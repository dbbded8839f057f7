package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.ChildJvm;
import io.asynq4j.benchmarks.harness.InterleavedMeasurements;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.RateTable;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.client.TaskClient;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** E: how fast tasks are enqueued. */
@Command(
    name = "enqueue",
    description =
        "E: enqueue from threads, virtual threads, asynchronously, in bulk, and unique tasks.")
final class EnqueueBenchmark extends LoadBenchmark {

  private static final int BATCH = 100;

  private static final String BARE_ONE = "reference: bare client, one by one";
  private static final String BARE_TEN = "reference: ten bare clients, one by one";
  private static final String BARE_BATCH = "reference: bare client, 100 a call";
  private static final String ONE = "one thread";
  private static final String TEN = "10 threads";
  private static final String HUNDRED = "100 threads";
  private static final String ASYNC = "enqueueAsync, one thread";
  private static final String ALL = "enqueueAll, 1,000 a call";

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws IOException {
    int tasks = size(100_000, 1_000);
    int rounds = size(5, 1);
    int some = tasks / rounds;
    EnqueueCallers callers = new EnqueueCallers(redis);
    InterleavedMeasurements turns =
        new InterleavedMeasurements()
            .add(BARE_ONE, () -> callers.bare(1, some / 2, 1))
            .add(ONE, () -> callers.threads(1, some / 2))
            .add(BARE_TEN, () -> callers.bare(10, some, 1))
            .add(TEN, () -> callers.threads(10, some))
            .add(HUNDRED, () -> callers.threads(100, some))
            .add(BARE_BATCH, () -> callers.bare(1, some * 2, BATCH))
            .add(ASYNC, () -> callers.async(some * 2))
            .add(ALL, () -> callers.all(some * 2, 1_000))
            .run(rounds);
    RateTable rates = new RateTable("of its reference");
    for (String reference : List.of(BARE_ONE, BARE_TEN, BARE_BATCH)) {
      rates.add(reference, turns.total(reference));
    }
    rates.add(ONE, turns.total(ONE), turns.ratio(ONE, BARE_ONE));
    rates.add(TEN, turns.total(TEN), turns.ratio(TEN, BARE_TEN));
    rates.add(HUNDRED, turns.total(HUNDRED), turns.ratio(HUNDRED, BARE_TEN));
    rates.add(ASYNC, turns.total(ASYNC), turns.ratio(ASYNC, BARE_BATCH));
    rates.add(ALL, turns.total(ALL), turns.ratio(ALL, BARE_BATCH));
    unique(redis, callers, rates, tasks / 2);
    rates.into(report, "Enqueue");

    report.figure("tasksPerSecond", turns.total(ONE).tasksPerSecond());
    report.figure("tasksPerSecondOfTen", turns.total(TEN).tasksPerSecond());
    report.figure("tasksPerSecondOfAll", turns.total(ALL).tasksPerSecond());
    report.bar(Threshold.atLeast("one thread, of a bare client", turns.ratio(ONE, BARE_ONE), 0.9));
    report.bar(
        Threshold.atLeast("ten threads, of ten bare clients", turns.ratio(TEN, BARE_TEN), 0.9));
    report.bar(Threshold.atLeast("enqueueAll, times one by one", turns.ratio(ALL, ONE), 8));
    report.bar(
        Threshold.atLeast("enqueueAll, of the bare batch call", turns.ratio(ALL, BARE_BATCH), 0.8));
    virtualThreads(redis, report, tasks);
  }

  private void unique(BenchmarkRedis redis, EnqueueCallers callers, RateTable rates, int tasks) {
    rates.add("unique, one thread, none present", callers.unique(redis.newQueue(), tasks));
    QueueName present = redis.newQueue();
    int many = size(1_000_000, 2_000);
    BenchmarkTasks.fill(redis, List.of(present), many);
    try {
      rates.add(
          "unique, one thread, %,d tasks present".formatted(many), callers.unique(present, tasks));
    } finally {
      redis.clear();
    }
  }

  /** Runs on the newest JDK in a child process, next to ten platform threads. */
  private static void virtualThreads(BenchmarkRedis redis, LoadReport report, int tasks)
      throws IOException {
    try (ChildJvm child =
        ChildJvm.start(
            newestJdk(),
            VirtualThreadCallers.class,
            List.of(redis.uri(), redis.newQueue().value(), Integer.toString(tasks)))) {
      String line = child.output().readLine();
      if (line == null || line.equals(VirtualThreadCallers.NONE)) {
        report.table(
            "Virtual threads",
            List.of("what"),
            List.of(List.of("no JDK of 21 or newer was found")));
        return;
      }
      String[] words = line.split(" ", -1);
      double ten = Double.parseDouble(words[1]);
      double virtual = Double.parseDouble(words[2]);
      report.table(
          "Virtual threads, on Java " + words[0],
          List.of("what", "tasks/s", "of ten threads"),
          List.of(
              List.of("10 threads", ten, 1.0),
              List.of(VirtualThreadCallers.COUNT + " virtual threads", virtual, virtual / ten)));
      report.figure("tasksPerSecondOfVirtualThreads", virtual);
      report.bar(
          Threshold.atLeast(
              VirtualThreadCallers.COUNT + " virtual threads, of ten threads", virtual / ten, 1));
    } finally {
      redis.clear();
    }
  }

  /** A client with its own connection, closed together. */
  record Connected(RedisConnection redis, TaskClient client) implements AutoCloseable {
    static Connected to(String uri) {
      RedisConnection redis = RedisConnection.open(uri);
      return new Connected(redis, TaskClient.create(redis));
    }

    @Override
    public void close() {
      client.close();
      redis.close();
    }
  }
}
