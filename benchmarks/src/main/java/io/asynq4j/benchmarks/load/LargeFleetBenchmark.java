package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.BenchmarkTasks;
import io.asynq4j.benchmarks.harness.DelayProxy;
import io.asynq4j.benchmarks.harness.MeasuredServer;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** N: commands that many servers of one queue send to Redis at a steady task rate. */
@Command(
    name = "fleet",
    description =
        "N: measure the commands that 1, 10 and 50 servers of one queue send to Redis while 100 tasks"
            + " per second are enqueued or become due.")
final class LargeFleetBenchmark extends LoadBenchmark {

  private static final int TASKS_PER_SECOND = 100;
  private static final int CONCURRENCY = 10;

  /** How tasks arrive. */
  private enum Arrival {
    NONE("none"),
    AT_ONCE("enqueued"),
    DUE("become due");

    private final String words;

    Arrival(String words) {
      this.words = words;
    }
  }

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws InterruptedException {
    List<List<Object>> rows = new ArrayList<>();
    for (Arrival arrival : Arrival.values()) {
      double ofOne = 0;
      for (int servers : List.of(1, size(10, 3), size(50, 5))) {
        progress(servers + " servers, " + arrival.words);
        double commands = commandsPerSecond(redis, servers, arrival);
        ofOne = servers == 1 ? commands : ofOne;
        rows.add(
            List.of(
                arrival.words, servers, commands, commands / ofOne, commands / ofOne / servers));
        if (arrival != Arrival.NONE) {
          report.figure(
              "commandsPerSecondWith" + servers + (arrival == Arrival.DUE ? "Due" : "Enqueued"),
              commands);
        }
      }
    }
    report.table(
        "Servers of one queue in one process, concurrency "
            + CONCURRENCY
            + " each; commands are counted by a proxy as they are sent",
        List.of("tasks", "servers", "commands/s", "of one server", "of one server, per server"),
        rows);
  }

  private double commandsPerSecond(BenchmarkRedis redis, int count, Arrival arrival)
      throws InterruptedException {
    QueueName queue = redis.newQueue();
    List<MeasuredServer> servers = new ArrayList<>();
    try (DelayProxy proxy = new DelayProxy(redis.uri(), Duration.ZERO);
        TaskClient client = TaskClient.create(redis.connection())) {
      try {
        for (int i = 0; i < count; i++) {
          servers.add(
              MeasuredServer.start(
                  proxy.uri(),
                  List.of(queue),
                  CONCURRENCY,
                  MeasuredServer.NO_OP,
                  server -> server));
        }
        produce(client, queue, arrival, size(10, 1));
        long before = proxy.commands();
        long start = System.nanoTime();
        produce(client, queue, arrival, size(20, 1));
        return (proxy.commands() - before) / ((System.nanoTime() - start) / 1e9);
      } finally {
        servers.forEach(MeasuredServer::close);
      }
    } finally {
      redis.clear();
    }
  }

  /** Enqueues tasks one by one at a steady rate for this many seconds. */
  private static void produce(TaskClient client, QueueName queue, Arrival arrival, int seconds)
      throws InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < seconds * TASKS_PER_SECOND; i++) {
      long wait = start + i * 1_000_000_000L / TASKS_PER_SECOND - System.nanoTime();
      if (wait > 0) {
        Thread.sleep(wait / 1_000_000, (int) (wait % 1_000_000));
      }
      if (arrival == Arrival.NONE) {
        continue;
      }
      EnqueueResult result =
          client.enqueue(
              BenchmarkTasks.request(
                  queue,
                  i,
                  options ->
                      arrival == Arrival.DUE
                          ? options.processIn(Duration.ofSeconds(1)).precise()
                          : options));
      result.orThrow();
    }
  }
}
