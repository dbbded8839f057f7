package io.asynq4j.client;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Accepts tasks: a {@link TaskClient}, which enqueues them in Redis, an outbox, which stores them
 * until the transaction of the caller has committed, or a fake in a test. Code that produces tasks
 * should depend on this type. Thread-safe.
 *
 * <p>Options of a call override those of the task's type. {@link TaskOptions} describes them and
 * their defaults.
 *
 * <p>Methods throw {@link IllegalArgumentException} or {@link io.asynq4j.codec.PayloadException} if
 * a task is invalid. {@link TaskClient} describes what else it throws.
 *
 * <p>Implementations only need {@link #enqueue(EnqueueRequest)}.
 */
@FunctionalInterface
public interface Enqueuer {

  /** Enqueues a task and returns when the result is known. */
  EnqueueResult enqueue(EnqueueRequest request);

  default EnqueueResult enqueue(TaskType<Void> type) {
    return enqueue(EnqueueRequest.of(type));
  }

  /**
   * Enqueues a task without input. {@code enqueue(CLEANUP.with(o -> o.processIn(delay)))} does the
   * same with options as a lambda.
   */
  default EnqueueResult enqueue(TaskType<Void> type, TaskOptions options) {
    return enqueue(EnqueueRequest.of(type, options));
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
   * Enqueues a task without waiting for the result, if the implementation supports it. An invalid
   * task fails the stage.
   *
   * <p>By default, this calls {@link #enqueue(EnqueueRequest)} and returns a completed stage.
   */
  default CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    try {
      return CompletableFuture.completedFuture(enqueue(request));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  default CompletionStage<EnqueueResult> enqueueAsync(TaskType<Void> type) {
    return enqueueAsync(EnqueueRequest.of(type));
  }

  default CompletionStage<EnqueueResult> enqueueAsync(TaskType<Void> type, TaskOptions options) {
    return enqueueAsync(EnqueueRequest.of(type, options));
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
   * Enqueues many tasks of any queues and types. Returns one result for each task, in order. A task
   * that fails does not affect the others, and no exception is thrown for it.
   *
   * <p>By default, this calls {@link #enqueue(EnqueueRequest)} for each.
   */
  default List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    List<EnqueueResult> results = new ArrayList<>(requests.size());
    for (EnqueueRequest request : requests) {
      try {
        results.add(enqueue(request));
      } catch (RuntimeException e) {
        results.add(new EnqueueResult.Failed(e));
      }
    }
    return results;
  }
}
