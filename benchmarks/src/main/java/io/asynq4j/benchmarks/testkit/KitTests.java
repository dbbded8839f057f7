package io.asynq4j.benchmarks.testkit;

import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Outcome;
import io.asynq4j.testing.AsynqTest;
import io.asynq4j.testing.TestQueues;
import org.junit.jupiter.api.RepeatedTest;

/** Tests that enqueue a task, assert it, and run it. */
@AsynqTest
public class KitTests {

  private static final TaskType<Integer> TASK = TaskType.of("task", Integer.class);

  @RepeatedTest(TestRun.TESTS)
  void enqueuesAssertsAndRuns(TaskClient client, TestQueues tasks) {
    client.enqueue(TASK, 1);
    tasks.assertEnqueued(TASK).with(n -> n == 1).once();
    tasks.handlers((task, context) -> Outcome.done()).drain().assertSucceeded();
  }
}
