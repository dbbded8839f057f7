package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Cell;
import io.asynq4j.benchmarks.Lab;
import io.asynq4j.benchmarks.Usage;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;

/** C: how long a task waits on an empty queue. */
@Command(
    name = "idle-pickup",
    description = "C: how soon a task on an empty queue is started; also with 50 idle servers.")
final class IdlePickUp extends LoadProgram {

  @Override
  void measure(Lab lab, Findings findings) throws Exception {
    int tasks = size(1_000, 10);
    List<List<Object>> rows = new ArrayList<>();
    List<Object> reference = new ArrayList<>(List.of("reference: a round trip to Redis"));
    reference.addAll(References.roundTrips(lab, lab.uri(), tasks).row());
    reference.addAll(List.of("", ""));
    rows.add(reference);
    Latencies alone = pickUps(lab, 1, tasks, rows);
    pickUps(lab, size(50, 5), tasks, rows);
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(Latencies.COLUMNS);
    columns.addAll(List.of("Redis CPU µs/task", "JVM CPU µs/task"));
    findings.table("From the call of enqueue to the start of the handler", columns, rows);
    findings.figure("p50Millis", alone.millis(0.5));
    findings.figure("p99Millis", alone.millis(0.99));
    findings.bar(Bar.atMost("idle pick-up, p50 ms", alone.millis(0.5), 1));
    findings.bar(Bar.atMost("idle pick-up, p99 ms", alone.millis(0.99), 5));
  }

  private static Latencies pickUps(Lab lab, int servers, int tasks, List<List<Object>> rows)
      throws InterruptedException {
    QueueName queue = lab.newQueue();
    Latencies latencies = new Latencies();
    int warmUp = Math.max(1, tasks / 10);
    Served.Countdown all = new Served.Countdown(warmUp + tasks);
    Handler<Task> handler =
        (task, context) -> {
          long stamp = Load.stampOf(task);
          if (stamp != 0) {
            latencies.add(System.nanoTime() - stamp);
          }
          all.one();
          return Outcome.done();
        };
    List<Served> fleet = new ArrayList<>();
    try (TaskClient client = TaskClient.create(lab.connection())) {
      for (int i = 0; i < servers; i++) {
        fleet.add(Served.start(lab.uri(), List.of(queue), 10, handler, server -> server));
      }
      Usage before = lab.usage();
      for (int i = 0; i < warmUp + tasks; i++) {
        Thread.sleep(ThreadLocalRandom.current().nextInt(20, 251));
        client.enqueue(Load.request(queue, i < warmUp ? 0 : System.nanoTime())).orThrow();
      }
      all.await();
      Cell cell = new Cell(0, warmUp + tasks, lab.usage().since(before));
      List<Object> row =
          new ArrayList<>(List.of(servers == 1 ? "one server" : servers + " servers"));
      row.addAll(latencies.row());
      row.addAll(List.of(cell.redisMicrosPerTask(), cell.jvmMicrosPerTask()));
      rows.add(row);
    } finally {
      fleet.forEach(Served::close);
    }
    return latencies;
  }
}
