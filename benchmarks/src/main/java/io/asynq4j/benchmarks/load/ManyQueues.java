package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Cell;
import io.asynq4j.benchmarks.Lab;
import java.util.List;
import picocli.CommandLine.Command;

/** G: what it costs to serve many queues. */
@Command(
    name = "queues",
    description = "G: the same tasks over 1, 100 and 10,000 queues, and one busy among idle ones.")
final class ManyQueues extends LoadProgram {

  private static final int CONCURRENCY = 100;

  @Override
  void measure(Lab lab, Findings findings) {
    int tasks = size(200_000, 2_000);
    int some = size(100, 10);
    int many = size(10_000, 100);
    Rates rates = new Rates("of one queue");
    drain(lab, 1, 0, tasks / 5);
    rates.add("N: naive loop", References.naive(lab, lab.uri(), Math.max(1, tasks / 20)));
    rates.add("L(100)", References.limit(lab, lab.uri(), tasks, CONCURRENCY));
    lab.clear();
    double one = drain(lab, 1, 0, tasks, rates, 0);
    drain(lab, some, 0, tasks, rates, one);
    double spread = drain(lab, many, 0, tasks, rates, one);
    double busy = drain(lab, 1, many - 1, tasks, rates, one);
    rates.into(findings, "Drain at concurrency 100");
    findings.figure("tasksPerSecond", one);
    findings.figure("ofOneQueue", spread / one);
    findings.figure("oneBusyOfOneQueue", busy / one);
    findings.bar(Bar.atLeast(many + " queues, of one queue", spread / one, 0.5));
    findings.bar(Bar.atLeast("one busy among " + many + ", of one queue", busy / one, 0.8));
  }

  private static double drain(Lab lab, int busy, int idle, int tasks, Rates rates, double one) {
    Cell cell = drain(lab, busy, idle, tasks);
    String what = "%,d queues%s".formatted(busy, idle == 0 ? "" : " and %,d idle".formatted(idle));
    rates.add(what, cell, one == 0 ? 1.0 : cell.tasksPerSecond() / one);
    return cell.tasksPerSecond();
  }

  private static Cell drain(Lab lab, int busy, int idle, int tasks) {
    List<QueueName> queues = Load.queues(lab, busy + idle);
    Load.fill(lab, queues.subList(0, busy), tasks);
    try {
      return Served.drain(lab, lab.uri(), queues, tasks, CONCURRENCY);
    } finally {
      lab.clear();
    }
  }
}
