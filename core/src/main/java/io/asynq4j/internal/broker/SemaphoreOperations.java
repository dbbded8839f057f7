package io.asynq4j.internal.broker;

import java.time.Instant;

/** Tokens that tasks share over the whole fleet. Thread-safe. */
public interface SemaphoreOperations {

  /** Takes one of so many tokens for a task until its deadline; a task that has one keeps it. */
  boolean acquire(String scope, int tokens, String taskId, Instant deadline);

  /** Gives a token back. False when the task had none. */
  boolean release(String scope, String taskId);
}
