package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Lab;
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
    int tasks = size(1_000, 20);
    List<List<Object>> rows = new ArrayList<>();
    rows.add(row("reference: a round trip to Redis", References.roundTrips(lab, lab.uri(), tasks)));
    Latencies alone = pickUps(lab, 1, tasks);
    rows.add(row("one server", alone));
    int fleet = size(50, 5);
    rows.add(row(fleet + " servers", pickUps(lab, fleet, tasks)));
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(Latencies.COLUMNS);
    findings.table("From the call of enqueue to the start of the handler", columns, rows);
    findings.figure("p50Millis", alone.millis(0.5));
    findings.figure("p99Millis", alone.millis(0.99));
    findings.bar(Bar.atMost("idle pick-up, p50 ms", alone.millis(0.5), 1));
    findings.bar(Bar.atMost("idle pick-up, p99 ms", alone.millis(0.99), 5));
  }

  private static List<Object> row(String what, Latencies latencies) {
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(latencies.row());
    return row;
  }

  private static Latencies pickUps(Lab lab, int servers, int tasks) throws InterruptedException {
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
      for (int i = 0; i < warmUp + tasks; i++) {
        Thread.sleep(ThreadLocalRandom.current().nextInt(20, 251));
        client.enqueue(Load.request(queue, i < warmUp ? 0 : System.nanoTime())).orThrow();
      }
      all.await();
    } finally {
      fleet.forEach(Served::close);
    }
    return latencies;
  }
}
