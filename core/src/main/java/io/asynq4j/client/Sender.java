package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.broker.Confirmation;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.TaskSink;
import java.util.List;
import java.util.function.Function;

/** Sends tasks to Redis and answers for each, whatever goes wrong: nobody must wait for ever. */
record Sender(TaskSink sink, Function<Durability, Confirmation> confirmations) {

  List<EnqueueAnswer> send(List<NewTask> tasks, Durability durability) {
    try {
      return sink.enqueueEach(tasks, confirmations.apply(durability));
    } catch (RuntimeException e) {
      return tasks.stream().map(task -> EnqueueAnswer.failed(e)).toList();
    }
  }
}
