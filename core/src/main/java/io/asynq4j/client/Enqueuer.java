package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Puts tasks into queues: a {@link TaskClient}, or one under other terms, as {@link #within} and
 * {@link #durably} give. Thread-safe.
 *
 * <p>Options of the call win over those of the task's type; {@link TaskOptions} tells what each
 * means and what holds without it.
 *
 * <p>What a method throws: {@link IllegalArgumentException} or {@link io.asynq4j.PayloadException}
 * for what can never be enqueued, {@link io.asynq4j.BrokerException} when Redis does not answer or
 * refuses, which also tells whether the task may be enqueued nevertheless, and {@link
 * io.asynq4j.UnconfirmedTaskException} when it is enqueued, but not as durably as asked for.
 */
public interface Enqueuer {

  /** Enqueues a task, and returns when Redis has answered. */
  EnqueueResult enqueue(EnqueueRequest request);

  default EnqueueResult enqueue(TaskType<Void> type) {
    return enqueue(EnqueueRequest.of(type));
  }

  default <T> EnqueueResult enqueue(TaskType<T> type, T input) {
    return enqueue(EnqueueRequest.of(type, input));
  }

  default <T> EnqueueResult enqueue(
      TaskType<T> type, T input, UnaryOperator<TaskOptions.Builder> options) {
    return enqueue(EnqueueRequest.of(type, input, options));
  }

  default EnqueueResult enqueue(Task task) {
    return enqueue(EnqueueRequest.of(task));
  }

  default EnqueueResult enqueue(Task task, UnaryOperator<TaskOptions.Builder> options) {
    return enqueue(EnqueueRequest.of(task, options));
  }

  default EnqueueResult enqueue(Task task, TaskOptions options) {
    return enqueue(EnqueueRequest.of(task, options));
  }

  /**
   * Enqueues a task without waiting for Redis. Tasks that come while a call is under way go
   * together with the next one; those of one queue arrive in the order of the calls.
   *
   * <p>When too many tasks wait already, this blocks until there is room, so that a slow Redis
   * slows its producers instead of filling their memory. What cannot be enqueued at all, as an
   * invalid option, is told by the stage too.
   *
   * <p>The stage is completed, and what hangs on it is run, by the callback executor of the client.
   */
  CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request);

  default CompletionStage<EnqueueResult> enqueueAsync(TaskType<Void> type) {
    return enqueueAsync(EnqueueRequest.of(type));
  }

  default <T> CompletionStage<EnqueueResult> enqueueAsync(TaskType<T> type, T input) {
    return enqueueAsync(EnqueueRequest.of(type, input));
  }

  default <T> CompletionStage<EnqueueResult> enqueueAsync(
      TaskType<T> type, T input, UnaryOperator<TaskOptions.Builder> options) {
    return enqueueAsync(EnqueueRequest.of(type, input, options));
  }

  default CompletionStage<EnqueueResult> enqueueAsync(Task task) {
    return enqueueAsync(EnqueueRequest.of(task));
  }

  default CompletionStage<EnqueueResult> enqueueAsync(
      Task task, UnaryOperator<TaskOptions.Builder> options) {
    return enqueueAsync(EnqueueRequest.of(task, options));
  }

  default CompletionStage<EnqueueResult> enqueueAsync(Task task, TaskOptions options) {
    return enqueueAsync(EnqueueRequest.of(task, options));
  }

  /**
   * Enqueues many tasks, of any queues and kinds, in few calls. One result for each, in their
   * order; one that fails, for whatever reason, fails alone. Nothing is thrown for a task.
   */
  List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests);

  /**
   * The same, but a call returns or throws within this time, whatever Redis does. The exception
   * tells whether the task may be enqueued nevertheless. Such a call is handed to another thread,
   * which costs some microseconds.
   */
  Enqueuer within(Duration limit);

  /** The same, but a task counts as enqueued only when it is as durable as this. */
  Enqueuer durably(Durability durability);
}
