package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.server.duty.Aggregator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Combines the tasks of a group into one task. Must be thread-safe.
 *
 * <pre>{@code
 * GroupAggregator digests =
 *     GroupAggregator.of(NOTIFICATION, DIGEST, notifications -> new Digest(notifications));
 * }</pre>
 */
@FunctionalInterface
public interface GroupAggregator {

  /**
   * Returns an aggregator of tasks of one type into a task of another, which uses the codec of the
   * server. It fails if the group has a task of another type; the tasks then return to their group.
   */
  static <T, R> GroupAggregator of(TaskType<T> in, TaskType<R> out, Merge<T, R> merge) {
    return new TypedAggregator<>(in, out, merge);
  }

  /** Merges the inputs of several tasks. Must be thread-safe. */
  @FunctionalInterface
  interface Merge<T, R> {

    /**
     * Returns the merged input. If it throws, the tasks return to their group and are retried.
     *
     * @param inputs in the order in which their tasks were enqueued, to the second
     */
    R merge(List<T> inputs) throws Exception;
  }

  /**
   * Returns the combined task. If it throws, the tasks return to their group and are retried.
   *
   * @param tasks in the order in which they were enqueued, to the second
   */
  Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception;

  /**
   * Returns the combined task; called by the server. To be overridden by aggregators that decode
   * inputs with the codec of the server.
   */
  default Aggregated aggregate(QueueName queue, String group, List<Task> tasks, PayloadCodec codec)
      throws Exception {
    return aggregate(queue, group, tasks);
  }

  /**
   * The task that replaces the tasks of a group. Immutable.
   *
   * @param options override the options of its type: retries, timeout, deadline, retention,
   *     uniqueness and headers. The options of the combined tasks are not used, except for their
   *     queue. The type is known if it was given here or to the {@code Mux} of the server
   */
  record Aggregated(Task task, TaskOptions options) {

    public static Aggregated of(Task task) {
      return new Aggregated(task, TaskOptions.defaults());
    }

    /** Returns a task with the options of its type; its input is encoded as JSON. */
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
