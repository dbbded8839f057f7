package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskState;
import java.util.Map;

/**
 * Totals of all queues. Immutable.
 *
 * @param queues number of queues
 * @param seen number of queues loaded so far
 * @param trend of the total rate and the highest latency
 */
public record QueueTotals(
    int queues, int seen, Map<TaskState, Long> sizes, double rate, Trend trend) {
  public QueueTotals {
    sizes = Map.copyOf(sizes);
  }

  long size(TaskState state) {
    return sizes.getOrDefault(state, 0L);
  }
}
