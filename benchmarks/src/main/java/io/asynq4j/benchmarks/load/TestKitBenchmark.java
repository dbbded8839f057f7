package io.asynq4j.benchmarks.load;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.harness.ChildJvm;
import io.asynq4j.benchmarks.report.LoadReport;
import io.asynq4j.benchmarks.report.Threshold;
import io.asynq4j.benchmarks.testkit.EmptyTests;
import io.asynq4j.benchmarks.testkit.KitTests;
import io.asynq4j.benchmarks.testkit.TestRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** Cost of the test kit: a test class with it and an empty one, in new JVMs in turn. */
@Command(
    name = "test-kit",
    description =
        "O: measure what @AsynqTest adds to the first test of a JVM and to each further one.")
final class TestKitBenchmark extends LoadBenchmark {

  /**
   * Milliseconds of one run.
   *
   * @param further the median of all tests but the first
   * @param firstCpu CPU time of the JVM
   */
  private record Times(double first, double further, double firstCpu, double furtherCpu) {}

  @Override
  void measure(BenchmarkRedis redis, LoadReport report) throws IOException {
    List<Times> empty = new ArrayList<>();
    List<Times> kit = new ArrayList<>();
    int rounds = size(7, 1);
    for (int round = 0; round < rounds; round++) {
      progress("round " + (round + 1) + " of " + rounds);
      empty.add(run(EmptyTests.class));
      kit.add(run(KitTests.class));
    }
    Times without = median(empty);
    Times with = median(kit);
    report.table(
        "Tests in a new JVM: from its start to the end of the first test, and each further test",
        List.of(
            "tests",
            "first, ms",
            "times empty",
            "each further, ms",
            "times empty",
            "CPU of the first, ms",
            "CPU of each, ms"),
        List.of(
            row("empty", without, without),
            row("enqueue, assert and drain with @AsynqTest", with, without)));
    report.figure("firstRatio", with.first() / without.first());
    report.figure("furtherRatio", with.further() / without.further());
    report.figure("firstAddedMillis", with.first() - without.first());
    report.figure("furtherAddedMillis", with.further() - without.further());
    report.bar(
        Threshold.atMost("first test, ms more than empty", with.first() - without.first(), 500));
    report.bar(
        Threshold.atMost(
            "each further test, ms more than empty", with.further() - without.further(), 20));
  }

  private static List<Object> row(String tests, Times times, Times empty) {
    return List.of(
        tests,
        times.first(),
        times.first() / empty.first(),
        times.further(),
        times.further() / empty.further(),
        times.firstCpu(),
        times.furtherCpu());
  }

  private static Times run(Class<?> tests) throws IOException {
    try (ChildJvm child = ChildJvm.start(TestRun.class, List.of(tests.getName()))) {
      String line = child.output().readLine();
      if (line == null) {
        throw new IllegalStateException("the tests of " + tests.getName() + " failed: see above");
      }
      String[] parts = line.split(";", -1);
      List<Double> wall = millis(parts[0]);
      List<Double> cpu = millis(parts[1]);
      double further = cpu.stream().skip(1).mapToDouble(each -> each).average().orElse(0);
      return new Times(wall.get(0), median(wall.stream().skip(1)), cpu.get(0), further);
    }
  }

  private static List<Double> millis(String micros) {
    return Stream.of(micros.split(" ")).map(each -> Long.parseLong(each) / 1_000.0).toList();
  }

  private static Times median(List<Times> all) {
    return new Times(
        median(all.stream().map(Times::first)),
        median(all.stream().map(Times::further)),
        median(all.stream().map(Times::firstCpu)),
        median(all.stream().map(Times::furtherCpu)));
  }

  private static double median(Stream<Double> values) {
    List<Double> sorted = values.sorted().toList();
    return sorted.get(sorted.size() / 2);
  }
}
