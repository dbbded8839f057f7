package io.asynq4j.internal.client;

import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import java.util.List;

/** Sends tasks to Redis and returns a reply for each, unless an {@code Error} ends the call. */
public record EnqueueSender(EnqueueOperations sink) {

  List<EnqueueReply> send(List<NewTask> tasks, DurabilityRequirement confirmation) {
    try {
      return sink.enqueueEach(tasks, confirmation);
    } catch (RuntimeException e) {
      return tasks.stream().map(task -> EnqueueReply.failed(e)).toList();
    }
  }
}
