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

  /** Median times in milliseconds. */
  private record Times(double first, double further) {}

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
        List.of("tests", "first, ms", "each further, ms"),
        List.of(
            List.of("empty", without.first(), without.further()),
            List.of("enqueue, assert and drain with @AsynqTest", with.first(), with.further())));
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

  private static Times run(Class<?> tests) throws IOException {
    try (ChildJvm child = ChildJvm.start(TestRun.class, List.of(tests.getName()))) {
      String line = child.output().readLine();
      if (line == null) {
        throw new IllegalStateException("the tests of " + tests.getName() + " failed: see above");
      }
      List<Double> millis =
          Stream.of(line.split(" ")).map(micros -> Long.parseLong(micros) / 1_000.0).toList();
      return new Times(millis.get(0), median(millis.subList(1, millis.size()).stream()));
    }
  }

  private static Times median(List<Times> all) {
    return new Times(
        median(all.stream().map(Times::first)), median(all.stream().map(Times::further)));
  }

  private static double median(Stream<Double> values) {
    List<Double> sorted = values.sorted().toList();
    return sorted.get(sorted.size() / 2);
  }
}
