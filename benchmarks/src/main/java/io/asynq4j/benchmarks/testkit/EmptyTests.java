package io.asynq4j.benchmarks.testkit;

import org.junit.jupiter.api.RepeatedTest;

/** Tests that do nothing. */
public class EmptyTests {

  @RepeatedTest(TestRun.TESTS)
  void nothing() {}
}
