package io.asynq4j.internal.client;

import io.asynq4j.Durability;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.NewTask;

/** The key by which tasks are batched into one call. */
record BatchKey(QueueName queue, Durability durability) {

  static BatchKey of(NewTask task, Durability durability) {
    return new BatchKey(task.message().queue(), durability);
  }
}
