package io.asynq4j.benchmarks.load;

import io.asynq4j.QueueName;
import io.asynq4j.benchmarks.Bar;
import io.asynq4j.benchmarks.Cell;
import io.asynq4j.benchmarks.Lab;
import io.asynq4j.client.TaskClient;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;

/** E: how fast tasks come in. */
@Command(
    name = "enqueue",
    description = "E: from threads, virtual threads, async, many at once, unique.")
final class EnqueueRates extends LoadProgram {

  /** Set by the launcher. */
  private static final String NEWEST_JDK_PROPERTY = "asynq4j.newestJdk";

  private static final int BATCH = 100;

  @Override
  void measure(Lab lab, Findings findings) throws IOException {
    int tasks = size(100_000, 1_000);
    Rates rates = new Rates("of its reference");
    Callers callers = new Callers(lab);
    warmUp(callers, tasks / 5);

    Cell bareOne = callers.bare(1, tasks / 2, 1);
    rates.add("reference: bare client, one by one", bareOne);
    Cell bareTen = callers.bare(10, tasks, 1);
    rates.add("reference: ten bare clients, one by one", bareTen);
    Cell bareBatch = callers.bare(1, tasks * 2, BATCH);
    rates.add("reference: bare client, 100 a call", bareBatch);

    Cell one = callers.threads(1, tasks / 2);
    double ofOne = ratio(one, bareOne);
    rates.add("one thread", one, ofOne);
    Cell ten = callers.threads(10, tasks);
    double ofTen = ratio(ten, bareTen);
    rates.add("10 threads", ten, ofTen);
    Cell hundred = callers.threads(100, tasks);
    rates.add("100 threads", hundred, ratio(hundred, bareTen));
    Cell async = callers.async(tasks * 2);
    rates.add("enqueueAsync, one thread", async, ratio(async, bareBatch));
    Cell all = callers.all(tasks * 2, 1_000);
    double ofBatch = ratio(all, bareBatch);
    rates.add("enqueueAll, 1,000 a call", all, ofBatch);
    unique(lab, callers, rates, tasks / 2);
    rates.into(findings, "Enqueue");

    findings.figure("tasksPerSecond", one.tasksPerSecond());
    findings.figure("tasksPerSecondOfTen", ten.tasksPerSecond());
    findings.figure("tasksPerSecondOfAll", all.tasksPerSecond());
    findings.bar(Bar.atLeast("one thread, of a bare client", ofOne, 0.9));
    findings.bar(Bar.atLeast("ten threads, of ten bare clients", ofTen, 0.9));
    findings.bar(Bar.atLeast("enqueueAll, times one by one", ratio(all, one), 8));
    findings.bar(Bar.atLeast("enqueueAll, of the bare batch call", ofBatch, 0.8));
    virtualThreads(lab, findings, tasks);
  }

  private static double ratio(Cell cell, Cell reference) {
    return cell.tasksPerSecond() / reference.tasksPerSecond();
  }

  private static void warmUp(Callers callers, int tasks) {
    callers.bare(1, tasks, 1);
    callers.bare(1, tasks, BATCH);
    callers.threads(10, tasks);
    callers.async(tasks);
    callers.all(tasks, 1_000);
  }

  private void unique(Lab lab, Callers callers, Rates rates, int tasks) {
    rates.add("unique, one thread, none present", callers.unique(lab.newQueue(), tasks));
    QueueName present = lab.newQueue();
    int many = size(1_000_000, 2_000);
    Load.fill(lab, List.of(present), many);
    try {
      rates.add(
          "unique, one thread, %,d tasks present".formatted(many), callers.unique(present, tasks));
    } finally {
      lab.clear();
    }
  }

  /** On the newest JDK, in a process of its own, beside ten threads there. */
  private static void virtualThreads(Lab lab, Findings findings, int tasks) throws IOException {
    Path home = Path.of(System.getProperty(NEWEST_JDK_PROPERTY, System.getProperty("java.home")));
    if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
      home = Path.of(System.getProperty("java.home"));
    }
    try (ChildJvm child =
        ChildJvm.start(
            home,
            VirtualCallers.class,
            List.of(lab.uri(), lab.newQueue().value(), Integer.toString(tasks)))) {
      String line = child.output().readLine();
      if (line == null || line.equals(VirtualCallers.NONE)) {
        findings.table(
            "Virtual threads",
            List.of("what"),
            List.of(List.of("no JDK of 21 or newer was found")));
        return;
      }
      String[] words = line.split(" ", -1);
      double ten = Double.parseDouble(words[1]);
      double virtual = Double.parseDouble(words[2]);
      findings.table(
          "Virtual threads, on Java " + words[0],
          List.of("what", "tasks/s", "of ten threads"),
          List.of(
              List.of("10 threads", ten, 1.0),
              List.of(VirtualCallers.COUNT + " virtual threads", virtual, virtual / ten)));
      findings.figure("tasksPerSecondOfVirtualThreads", virtual);
      findings.bar(
          Bar.atLeast(VirtualCallers.COUNT + " virtual threads, of ten threads", virtual / ten, 1));
    } finally {
      lab.clear();
    }
  }

  /** A client with a connection of its own, closed together. */
  record Connected(RedisConnection redis, TaskClient client) implements AutoCloseable {
    static Connected to(String uri) {
      RedisConnection redis = RedisConnection.open(uri);
      return new Connected(redis, TaskClient.create(redis));
    }

    @Override
    public void close() {
      client.close();
      redis.close();
    }
  }
}
