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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * B: how long tasks take at a steady rate. The producer keeps to its schedule whatever happens, and
 * times count from when a task should have been enqueued: a stall is not left out of the figures.
 */
@Command(
    name = "steady",
    description = "B: latencies at 1,000, 5,000 and 20,000 tasks/s, open loop.")
final class Steady extends LoadProgram {

  private static final int CONCURRENCY = 100;

  @Override
  void measure(Lab lab, Findings findings) {
    List<List<Object>> rows = new ArrayList<>();
    List<String> columns = new ArrayList<>(List.of("what"));
    columns.addAll(Latencies.COLUMNS);
    columns.addAll(List.of("Redis CPU µs/task", "JVM CPU µs/task"));
    row(
        rows,
        "reference: a round trip",
        References.roundTrips(lab, lab.uri(), size(5_000, 50)),
        null);
    for (int rate : isQuick() ? List.of(200, 500) : List.of(1_000, 5_000, 20_000)) {
      Latencies started = new Latencies();
      Latencies settled = new Latencies();
      Cell cell = run(lab, rate, started, settled);
      row(rows, "%,d/s: enqueue to start".formatted(rate), started, cell);
      row(rows, "%,d/s: enqueue to settled".formatted(rate), settled, cell);
      findings.figure("startP99MillisAt" + rate, started.millis(0.99));
      if (rate == 5_000) {
        findings.bar(Bar.atMost("5,000/s, enqueue to start, p99 ms", started.millis(0.99), 25));
      }
    }
    findings.table("At a steady rate, from when a task should have been enqueued", columns, rows);
  }

  private static void row(
      List<List<Object>> rows, String what, Latencies latencies, @Nullable Cell cell) {
    List<Object> row = new ArrayList<>(List.of(what));
    row.addAll(latencies.row());
    row.add(cell == null ? "" : cell.redisMicrosPerTask());
    row.add(cell == null ? "" : cell.jvmMicrosPerTask());
    rows.add(row);
  }

  private Cell run(Lab lab, int rate, Latencies started, Latencies settled) {
    QueueName queue = lab.newQueue();
    int warmUp = rate * size(5, 1);
    int tasks = rate * size(20, 1);
    long interval = Duration.ofSeconds(1).toNanos() / rate;
    Served.Countdown all = new Served.Countdown(warmUp + tasks);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Handler<Task> handler =
        (task, context) -> {
          measured(task, started);
          return Outcome.done();
        };
    try (TaskClient client = TaskClient.create(lab.connection());
        Served served =
            Served.start(
                lab.uri(),
                List.of(queue),
                CONCURRENCY,
                handler,
                server ->
                    server.listener(
                        Served.onCompleted(
                            ref -> {
                              measured(ref.task(), settled);
                              all.one();
                            })))) {
      served.requireRunning();
      Usage before = lab.usage();
      long start = System.nanoTime();
      for (int i = 0; i < warmUp + tasks; i++) {
        long due = start + i * interval;
        if (i == warmUp) {
          before = lab.usage();
        }
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        client
            .enqueueAsync(Load.request(queue, i < warmUp ? 0 : due))
            .whenComplete(
                (result, error) -> {
                  if (error != null) {
                    failure.compareAndSet(null, error);
                  } else {
                    result.orThrow();
                  }
                });
      }
      all.await();
      if (failure.get() != null) {
        throw new IllegalStateException("an enqueue failed", failure.get());
      }
      return new Cell(0, tasks, lab.usage().since(before));
    }
  }

  private static void measured(Task task, Latencies latencies) {
    long stamp = Load.stampOf(task);
    if (stamp != 0) {
      latencies.add(System.nanoTime() - stamp);
    }
  }
}
