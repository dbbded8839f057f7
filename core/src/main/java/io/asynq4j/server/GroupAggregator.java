package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
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
   * @param options its own; those of the members are not taken over, and the queue is theirs
   */
  record Aggregated(Task task, TaskOptions options) {

    public static Aggregated of(Task task) {
      return new Aggregated(task, TaskOptions.defaults());
    }

    public static Aggregated of(Task task, UnaryOperator<TaskOptions.Builder> settings) {
      return new Aggregated(task, TaskOptions.of(settings));
    }
  }
}
