package io.asynq4j.internal.broker.inspect;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Changes or deletes a task only if it is unchanged since it was read. Thread-safe. */
public interface TaskEdits {

  /** Replaces the payload of a waiting task, and its lock accordingly. */
  void updatePayload(QueueName queue, String id, Payload payload);

  /** Replaces the headers of a waiting task. */
  void updateHeaders(QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders);

  /**
   * Deletes a task if the condition holds and the task is unchanged since the condition was tested.
   * Returns false if the condition does not hold.
   */
  boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition);
}
