package io.asynq4j.server;

import io.asynq4j.PayloadCodec;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.internal.server.duty.Aggregator;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes one task of many. Called by several threads at once. */
@FunctionalInterface
public interface GroupAggregator {

  /**
   * Throwing gives the tasks back to their group, for another try.
   *
   * @param tasks by the second in which they came
   */
  Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception;

  /**
   * What many tasks became.
   *
   * @param options its own, over those of its type that each of its tasks has: retries, timeout,
   *     deadline, retention, uniqueness and headers. The options of the members are not taken over,
   *     and the queue is theirs. A type is known when it was given here, or to the {@code Mux} of
   *     the server
   */
  record Aggregated(Task task, TaskOptions options) {

    public static Aggregated of(Task task) {
      return new Aggregated(task, TaskOptions.defaults());
    }

    /** A task of a type, with the options of the type; its input is written as JSON. */
    public static <T> Aggregated of(TaskType<T> type, T input) {
      return of(type, input, PayloadCodec.json());
    }

    public static <T> Aggregated of(TaskType<T> type, T input, PayloadCodec codec) {
      return new Aggregated(type.task(input, codec), Aggregator.perTask(type.options()));
    }

    public static Aggregated of(Task task, UnaryOperator<TaskOptions.Builder> settings) {
      return new Aggregated(task, TaskOptions.of(settings));
    }
  }
}
