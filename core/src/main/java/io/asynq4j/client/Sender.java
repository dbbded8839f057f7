package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.broker.Confirmation;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.TaskSink;
import java.util.List;
import java.util.function.Function;

/** Sends tasks to Redis and answers for each, unless an {@code Error} ends the call. */
record Sender(TaskSink sink, Function<Durability, Confirmation> confirmations) {

  /**
   * The same for tasks of several callers: an interrupt of one of them does not touch the others.
   */
  Sender forSeveral() {
    return new Sender(sink.uninterrupted(), confirmations);
  }

  List<EnqueueAnswer> send(List<NewTask> tasks, Durability durability) {
    try {
      return sink.enqueueEach(tasks, confirmations.apply(durability));
    } catch (RuntimeException e) {
      return tasks.stream().map(task -> EnqueueAnswer.failed(e)).toList();
    }
  }
}
