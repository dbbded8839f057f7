package io.asynq4j.internal.broker;

import java.time.Instant;

/** Semaphores shared by all servers. Thread-safe. */
public interface SemaphoreOperations {

  /**
   * Takes one of {@code tokens} tokens for a task until its deadline; a task that has one keeps it.
   */
  boolean acquire(String scope, int tokens, String taskId, Instant deadline);

  /** Returns a token. Returns false if the task had none. */
  boolean release(String scope, String taskId);
}
