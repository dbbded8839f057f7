package io.asynq4j.inspect;

import io.asynq4j.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is in a queue at one instant. Immutable.
 *
 * @param at the time in Redis
 * @param sizes how many tasks there are in each state
 * @param groups how many groups hold tasks
 * @param processedToday attempts that ended on this UTC day, well or badly
 * @param failedToday those of them that ended badly
 * @param processed the same since the queue exists
 * @param oldestPendingSince since when the next task to run has been waiting; null when none does,
 *     or it is not known
 * @param pausedSince null when it is not paused
 */
public record QueueSnapshot(
    String queue,
    Instant at,
    Map<TaskState, Long> sizes,
    long groups,
    long processedToday,
    long failedToday,
    long processed,
    long failed,
    @Nullable Instant oldestPendingSince,
    @Nullable Instant pausedSince) {

  public QueueSnapshot {
    sizes = Map.copyOf(sizes);
  }

  public long size(TaskState state) {
    return sizes.getOrDefault(state, 0L);
  }

  /** Everything in the queue, completed tasks too. */
  public long size() {
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  public boolean paused() {
    return pausedSince != null;
  }

  /** How long the next task to run has been waiting; zero when none does, or it is not known. */
  public Duration latency() {
    return oldestPendingSince == null || oldestPendingSince.isAfter(at)
        ? Duration.ZERO
        : Duration.between(oldestPendingSince, at);
  }
}
