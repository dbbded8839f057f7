package io.asynq4j.handler;

import io.asynq4j.internal.broker.Broker;
import java.time.Instant;

/** Creates a semaphore on the broker of a test, with a settable clock. */
public final class TaskSemaphoreAccess {

  private TaskSemaphoreAccess() {}

  public static TaskSemaphore broker(Broker broker, String scope, int maxTokens) {
    return new TaskSemaphore(broker.semaphores(), scope, maxTokens);
  }

  /** An attempt at a task of this id. */
  public static TaskContext attempt(String id, Instant deadline) {
    return new FakeTaskContext(id, deadline);
  }
}
