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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;

/** C: how long a task waits on an empty queue. */
@Command(
    name = "idle-pickup",
    description = "C: measure how soon a task on an empty queue starts, also with 50 idle servers.")
final class IdlePickUpBenchmark extends LoadBenchmark {

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws Exception {
    int tasks = size(1_000, 10);
    List<List<Object>> rows = new ArrayList<>();
    reference(
        "reference: a round trip to Redis",
        ReferenceMeasurements.roundTrips(redis, redis.uri(), tasks),
        rows);
    reference(
        "reference: a round trip, one every 20 to 250 ms",
        ReferenceMeasurements.roundTrips(
            redis, redis.uri(), Math.max(1, tasks / 10), IdlePickUpBenchmark::pause),
        rows);
    LatencyRecorder alone = pickUps(redis, 1, tasks, rows);
    pickUps(redis, size(50, 5), tasks, rows);
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(LatencyRecorder.COLUMNS);
    columns.addAll(List.of("Redis CPU µs/task", "JVM CPU µs/task"));
    report.table("From the call of enqueue to the start of the handler", columns, rows);
    report.figure("p50Millis", alone.millis(0.5));
    report.figure("p99Millis", alone.millis(0.99));
    report.bar(Threshold.atMost("idle pick-up, p50 ms", alone.millis(0.5), 1));
    report.bar(Threshold.atMost("idle pick-up, p99 ms", alone.millis(0.99), 5));
  }

  private static void reference(String name, LatencyRecorder latencies, List<List<Object>> rows) {
    List<Object> row = new ArrayList<>(List.of(name));
    row.addAll(latencies.row());
    row.addAll(List.of("", ""));
    rows.add(row);
  }

  private static void pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(20, 251));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static LatencyRecorder pickUps(
      BenchmarkRedis redis, int servers, int tasks, List<List<Object>> rows)
      throws InterruptedException {
    QueueName queue = redis.newQueue();
    LatencyRecorder latencies = new LatencyRecorder();
    int warmUp = 5 * tasks;
    Semaphore started = new Semaphore(0);
    Handler<Task> handler =
        (task, context) -> {
          long stamp = BenchmarkTasks.stampOf(task);
          if (stamp != 0) {
            latencies.add(System.nanoTime() - stamp);
          }
          started.release();
          return Outcome.done();
        };
    List<MeasuredServer> fleet = new ArrayList<>();
    try (TaskClient client = TaskClient.create(redis.connection())) {
      for (int i = 0; i < servers; i++) {
        fleet.add(MeasuredServer.start(redis.uri(), List.of(queue), 10, handler, server -> server));
      }
      // Without pauses: code that runs a few times per second would not be compiled for minutes.
      for (int i = 0; i < warmUp; i++) {
        client.enqueue(BenchmarkTasks.request(queue, 0)).orThrow();
        started.acquire();
      }
      ResourceUsage before = redis.usage();
      for (int i = 0; i < tasks; i++) {
        pause();
        client.enqueue(BenchmarkTasks.request(queue, System.nanoTime())).orThrow();
        started.acquire();
      }
      Measurement cell = new Measurement(0, tasks, redis.usage().since(before));
      List<Object> row =
          new ArrayList<>(List.of(servers == 1 ? "one server" : servers + " servers"));
      row.addAll(latencies.row());
      row.addAll(List.of(cell.redisMicrosPerTask(), cell.jvmMicrosPerTask()));
      rows.add(row);
    } finally {
      fleet.forEach(MeasuredServer::close);
    }
    return latencies;
  }
}
