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
 * Makes one task of the tasks of a group. Called by several threads at once.
 *
 * <pre>{@code
 * GroupAggregator digests =
 *     GroupAggregator.of(NOTIFICATION, DIGEST, notifications -> new Digest(notifications));
 * }</pre>
 */
@FunctionalInterface
public interface GroupAggregator {

  /**
   * An aggregator of tasks of one type into a task of another, which decodes and encodes inputs
   * with the codec of the server. It fails, and the tasks go back to their group, when the group
   * has a task of another type.
   */
  static <T, R> GroupAggregator of(TaskType<T> in, TaskType<R> out, Merge<T, R> merge) {
    return new TypedAggregator<>(in, out, merge);
  }

  /** Makes one input of many. Called by several threads at once. */
  @FunctionalInterface
  interface Merge<T, R> {

    /**
     * Throwing gives the tasks back to their group, for another try.
     *
     * @param inputs by the second in which their tasks came
     */
    R merge(List<T> inputs) throws Exception;
  }

  /**
   * Throwing gives the tasks back to their group, for another try.
   *
   * @param tasks by the second in which they came
   */
  Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception;

  /**
   * The same with the codec of the server, for aggregators that decode inputs. This is what the
   * server calls.
   */
  default Aggregated aggregate(QueueName queue, String group, List<Task> tasks, PayloadCodec codec)
      throws Exception {
    return aggregate(queue, group, tasks);
  }

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
