package io.asynq4j.handler;

import io.asynq4j.internal.broker.Broker;
import java.time.Instant;

/** A semaphore on a broker that a test has made, with a time that it sets. */
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
