package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.ChildJvm;
import io.asynq4j.benchmarks.harness.ChildServer;
import io.asynq4j.benchmarks.harness.DelayProxy;
import io.asynq4j.benchmarks.harness.ResourceUsage;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** H: the cost of an idle server. */
@Command(
    name = "idle-cost",
    description = "H: measure the commands and CPU time of an idle server with 3 and 1,000 queues.")
final class IdleCostBenchmark extends LoadBenchmark {

  private record Idle(double commandsPerSecond, double jvmPercent, double redisPercent) {}

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws InterruptedException {
    List<List<Object>> rows = new ArrayList<>();
    for (int queues : List.of(3, 1_000)) {
      Idle idle = idle(redis, queues);
      rows.add(
          List.of(
              queues + " queues",
              idle.commandsPerSecond(),
              idle.jvmPercent(),
              idle.redisPercent()));
      report.figure("commandsPerSecondWith" + queues, idle.commandsPerSecond());
      report.figure("jvmPercentWith" + queues, idle.jvmPercent());
      report.bar(
          Threshold.atMost(
              "idle server with " + queues + " queues, commands/s",
              idle.commandsPerSecond(),
              queues == 3 ? 6 : 100));
      if (queues == 3) {
        report.bar(
            Threshold.atMost("idle server with 3 queues, % of a core", idle.jvmPercent(), 1));
      }
    }
    report.table(
        "One idle server in a process of its own; commands are counted by a proxy as they are sent",
        List.of("what", "commands/s", "JVM, % of a core", "Redis, % of a core"),
        rows);
  }

  private Idle idle(BenchmarkRedis redis, int count) throws InterruptedException {
    List<QueueName> queues = BenchmarkTasks.queues(redis, count);
    // Queues that exist and are empty.
    queues.forEach(queue -> redis.admin().sadd("asynq:queues", queue.value()));
    try (DelayProxy proxy = new DelayProxy(redis.uri(), Duration.ZERO);
        ChildJvm server =
            ChildJvm.start(
                ChildServer.class,
                ChildServer.arguments(proxy.uri(), queues, 10, 0, ChildServer.DEFAULT_LEASE))) {
      server.awaitLine("ready");
      // Wait until startup, mainly JIT compilation, is over.
      Thread.sleep(size(20_000, 1_000));
      long commands = proxy.commands();
      Duration cpu = server.cpu();
      ResourceUsage before = redis.usage();
      Thread.sleep(size(60_000, 2_000));
      ResourceUsage used = redis.usage().since(before);
      double seconds = used.wallNanos() / 1e9;
      return new Idle(
          (proxy.commands() - commands) / seconds,
          100 * server.cpu().minus(cpu).toNanos() / 1e9 / seconds,
          100 * used.redisCpuMicros() / 1e6 / seconds);
    } finally {
      redis.clear();
    }
  }
}
