package io.asynq4j.internal.broker.inspect;

import io.asynq4j.QueueName;

/** Removes queues. Thread-safe. */
public interface QueueRemoval {

  /**
   * Removes a queue with all its data; with tasks only if forced, and never while tasks are active.
   */
  void remove(QueueName queue, boolean force);
}
