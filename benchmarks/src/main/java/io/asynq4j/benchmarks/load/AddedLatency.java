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

  @Override
  void measure(Lab lab, Findings findings) {
    int tasks = size(200_000, 2_000);
    Rates rates = new Rates("of 0 ms", "× N", "of L");
    drain(lab, Duration.ZERO, tasks / 10);
    double undelayed = 0;
    for (int millis : List.of(0, 1, 2)) {
      Duration delay = Duration.ofMillis(millis);
      Cell naive;
      Cell limit;
      try (DelayProxy proxy = new DelayProxy(lab.uri(), delay)) {
        naive = References.naive(lab, proxy.uri(), Math.max(1, tasks / 100));
        limit = References.limit(lab, proxy.uri(), tasks, CONCURRENCY);
      }
      rates.add("N with " + millis + " ms", naive);
      rates.add("L(" + CONCURRENCY + ") with " + millis + " ms", limit);
      Cell drained = drain(lab, delay, tasks);
      double rate = drained.tasksPerSecond();
      undelayed = millis == 0 ? rate : undelayed;
      rates.add(
          "server with " + millis + " ms",
          drained,
          rate / undelayed,
          rate / naive.tasksPerSecond(),
          rate / limit.tasksPerSecond());
      findings.figure("tasksPerSecondWith" + millis + "Millis", rate);
      if (millis == 1) {
        findings.bar(
            Bar.atLeast("drain with 1 ms at concurrency 1000, of 0 ms", rate / undelayed, 0.5));
      }
    }
    rates.into(
        findings,
        "Drain at concurrency 1000 through a proxy, whose own work is part of the CPU of the JVM");
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
