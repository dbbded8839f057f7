package io.asynq4j.cli.dash.data;

import io.asynq4j.TaskState;
import java.util.Map;

/**
 * All queues taken together. Immutable.
 *
 * @param queues how many there are
 * @param seen how many of them were looked at so far
 * @param trend of the sum of rates, and of the highest latency
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
