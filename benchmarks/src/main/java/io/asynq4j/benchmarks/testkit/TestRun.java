package io.asynq4j.benchmarks.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a test class. Prints one line: the microseconds from the start of the program to the end of
 * the first test, and those of each further test; after a semicolon, the CPU time in the same form.
 */
public final class TestRun {

  static final int TESTS = 30;

  private TestRun() {}

  /** Runs the class that the argument names. */
  public static void main(String[] arguments) {
    List<Long> ends = new ArrayList<>(List.of(System.nanoTime()));
    List<Long> cpu = new ArrayList<>(List.of(0L));
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getThrowable().isPresent()) {
              result.getThrowable().get().printStackTrace();
              System.exit(1);
            }
            if (test.isTest()) {
              ends.add(System.nanoTime());
              cpu.add(cpuNanos());
            }
          }
        };
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(arguments[0]))
                .build(),
            listener);
    System.out.println(differences(ends) + ";" + differences(cpu));
  }

  private static long cpuNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  private static String differences(List<Long> nanos) {
    List<String> differences = new ArrayList<>();
    for (int i = 1; i < nanos.size(); i++) {
      differences.add(Long.toString((nanos.get(i) - nanos.get(i - 1)) / 1_000));
    }
    return differences.stream().collect(Collectors.joining(" "));
  }
}
