package io.asynq4j.benchmarks.testkit;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a test class. Prints the microseconds from the start of the program to the end of the first
 * test, and those of each further test, in one line.
 */
public final class TestRun {

  static final int TESTS = 30;

  private TestRun() {}

  /** Runs the class that the argument names. */
  public static void main(String[] arguments) {
    long start = System.nanoTime();
    List<Long> ends = new ArrayList<>();
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
              result
                  .getThrowable()
                  .ifPresent(
                      e -> {
                        throw new IllegalStateException("a test failed", e);
                      });
              ends.add(System.nanoTime());
            }
          }
        };
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(arguments[0]))
                .build(),
            listener);
    StringBuilder line = new StringBuilder();
    long before = start;
    for (long end : ends) {
      line.append((end - before) / 1_000).append(' ');
      before = end;
    }
    System.out.println(line.toString().strip());
  }
}
