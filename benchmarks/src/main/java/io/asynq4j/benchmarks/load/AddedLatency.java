package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Cell;
import io.asynq4j.benchmarks.Lab;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** K: what a slower network costs. */
@Command(
    name = "latency",
    description = "K: drain again with 0, 1 and 2 ms added to every round trip to Redis.")
final class AddedLatency extends LoadProgram {

  private static final int CONCURRENCY = 1000;
  private static final List<Integer> DELAYS = List.of(0, 1, 2);

  @Override
  void measure(Lab lab, Findings findings) {
    int tasks = size(100_000, 2_000);
    Turns turns = new Turns();
    for (int millis : DELAYS) {
      Duration delay = Duration.ofMillis(millis);
      turns.add(naive(millis), () -> naive(lab, delay, Math.max(1, tasks / 100)));
      turns.add(limit(millis), () -> limit(lab, delay, tasks));
      turns.add(server(millis), () -> drain(lab, delay, tasks));
    }
    turns.run(size(3, 1));
    Rates rates = new Rates("of 0 ms", "× N", "of L");
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
      findings.figure(
          "tasksPerSecondWith" + millis + "Millis", turns.total(server(millis)).tasksPerSecond());
      if (millis == 1) {
        findings.bar(Bar.atLeast("drain with 1 ms at concurrency 1000, of 0 ms", ofNoDelay, 0.5));
      }
    }
    rates.into(
        findings,
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

  private static Cell naive(Lab lab, Duration delay, int tasks) {
    try (DelayProxy proxy = new DelayProxy(lab.uri(), delay)) {
      return References.naive(lab, proxy.uri(), tasks);
    } finally {
      lab.clear();
    }
  }

  private static Cell limit(Lab lab, Duration delay, int tasks) {
    try (DelayProxy proxy = new DelayProxy(lab.uri(), delay)) {
      return References.limit(lab, proxy.uri(), tasks, CONCURRENCY);
    } finally {
      lab.clear();
    }
  }

  private static Cell drain(Lab lab, Duration delay, int tasks) {
    List<QueueName> queue = Load.queues(lab, 1);
    Load.fill(lab, queue, tasks);
    try (DelayProxy proxy = new DelayProxy(lab.uri(), delay)) {
      return Served.drain(lab, proxy.uri(), queue, tasks, CONCURRENCY);
    } finally {
      lab.clear();
    }
  }
}
