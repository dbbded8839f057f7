package io.asynq4j.internal.client;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;

/** The key by which tasks are batched into one call. */
record BatchKey(QueueName queue, DurabilityRequirement confirmation) {

  static BatchKey of(NewTask task, DurabilityRequirement confirmation) {
    return new BatchKey(task.message().queue(), confirmation);
  }
}
