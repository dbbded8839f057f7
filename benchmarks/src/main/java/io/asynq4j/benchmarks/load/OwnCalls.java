package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.Lab;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** How many of the callers of a client had better make their own calls. */
@Command(
    name = "own-calls",
    description = "E: threads that share a client, by how many of them make calls of their own.")
final class OwnCalls extends LoadProgram {

  private static final List<Integer> THREADS = List.of(4, 10, 100);
  private static final List<Integer> OWN_CALLS = List.of(1, 2, 4, 8, 12, 16);

  @Override
  void measure(Lab lab, Findings findings) {
    Callers callers = new Callers(lab);
    int tasks = size(20_000, 200);
    Turns turns = new Turns();
    for (int threads : THREADS) {
      for (int own : OWN_CALLS) {
        turns.add(name(threads, own), () -> callers.threads(threads, tasks, own));
      }
    }
    turns.run(size(3, 1));
    List<List<Object>> rows = new ArrayList<>();
    for (int own : OWN_CALLS) {
      List<Object> row = new ArrayList<>(List.of(own));
      for (int threads : THREADS) {
        double rate = turns.total(name(threads, own)).tasksPerSecond();
        row.add(rate);
        row.add(turns.ratio(name(threads, own), name(threads, 1)));
        findings.figure("tasksPerSecondOf" + threads + "With" + own, rate);
      }
      rows.add(row);
    }
    List<String> columns = new ArrayList<>(List.of("own calls at once"));
    for (int threads : THREADS) {
      columns.add(threads + " threads, tasks/s");
      columns.add("times one own call");
    }
    findings.table("Callers who make their own calls; the others share calls", columns, rows);
  }

  private static String name(int threads, int own) {
    return threads + " threads, " + own + " own calls";
  }
}
