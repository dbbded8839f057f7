package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.harness.Measurement;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.handler.Outcome;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;

/** J: memory, threads and connections of a server. */
@Command(
    name = "footprint",
    description = "J: measure heap per running and waiting task, threads and connections.")
final class FootprintBenchmark extends LoadBenchmark {

  private static final int COLLECTIONS = 4;

  private record State(long heap, int threads, long connections) {}

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws InterruptedException {
    // The first run loads classes and fills pools, which later runs reuse.
    measure(redis, size(200, 20), size(200, 20));
    report.table(
        "A server whose handlers all block; waiting tasks are pending in Redis",
        List.of(
            "running",
            "waiting",
            "heap bytes per running task",
            "heap bytes per waiting task",
            "threads when idle",
            "threads when full",
            "connections when idle",
            "connections when full",
            "Redis CPU µs/task",
            "JVM CPU µs/task, collections included"),
        List.of(measure(redis, size(2_000, 50), size(100_000, 1_000))));
  }

  private static List<Object> measure(BenchmarkRedis redis, int running, int waiting)
      throws InterruptedException {
    QueueName queue = redis.newQueue();
    ResourceUsage start = redis.usage();
    State before = state(redis);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(running);
    MeasuredServer.Countdown all = new MeasuredServer.Countdown(running + waiting);
    MeasuredServer served =
        MeasuredServer.start(
            redis.uri(),
            List.of(queue),
            running,
            (task, context) -> {
              blocked.countDown();
              release.await();
              return Outcome.done();
            },
            server -> server.listener(MeasuredServer.onCompleted(task -> all.one())));
    try {
      State idle = state(redis);
      BenchmarkTasks.fill(redis, List.of(queue), running);
      blocked.await();
      State full = state(redis);
      BenchmarkTasks.fill(redis, List.of(queue), waiting);
      State overfull = state(redis);
      release.countDown();
      all.await();
      Measurement cell = new Measurement(0, running + waiting, redis.usage().since(start));
      return List.of(
          running,
          waiting,
          (full.heap() - idle.heap()) / (double) running,
          (overfull.heap() - full.heap()) / (double) waiting,
          idle.threads() - before.threads(),
          full.threads() - before.threads(),
          idle.connections() - before.connections(),
          full.connections() - before.connections(),
          cell.redisMicrosPerTask(),
          cell.jvmMicrosPerTask());
    } finally {
      release.countDown();
      served.close();
      redis.clear();
    }
  }

  private static State state(BenchmarkRedis redis) throws InterruptedException {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      // Memory released by cleaners is only free after they have run.
      Thread.sleep(50);
    }
    return new State(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        redis.admin().clientList().lines().count());
  }
}
