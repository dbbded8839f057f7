package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sizes and counters of a queue at one instant. Immutable. */
public sealed interface QueueSnapshot {

  /** The name of the queue. */
  String queue();

  /** The time of Redis at which this was read. */
  Instant at();

  /** The number of tasks in each state. */
  Map<TaskState, Long> sizes();

  /** The number of groups that have tasks. */
  long groups();

  /** The number of attempts settled on this UTC day, successful or not. */
  long processedToday();

  /** The number of attempts that failed on this UTC day. */
  long failedToday();

  /** The number of attempts settled since the queue exists, successful or not. */
  long processed();

  /** The number of attempts that failed since the queue exists. */
  long failed();

  /** Since when the next task to run has been pending; null if there is none or it is unknown. */
  @Nullable Instant oldestPendingSince();

  /** Since when the queue is paused; null if it is not paused. */
  @Nullable Instant pausedSince();

  default long size(TaskState state) {
    return sizes().getOrDefault(state, 0L);
  }

  /** The number of tasks in all states, including completed ones. */
  default long size() {
    return sizes().values().stream().mapToLong(Long::longValue).sum();
  }

  default boolean paused() {
    return pausedSince() != null;
  }

  /** How long the next task to run has been pending; zero if there is none or it is unknown. */
  default Duration latency() {
    Instant since = oldestPendingSince();
    return since == null || since.isAfter(at()) ? Duration.ZERO : Duration.between(since, at());
  }

  /** Returns a builder of an empty queue, for tests and fakes. */
  static Builder builder(String queue, Instant at) {
    return new Builder(queue, at);
  }

  /** As {@link #builder(String, Instant)}. */
  static Builder builder(QueueName queue, Instant at) {
    return builder(queue.value(), at);
  }

  /** Builds a {@link QueueSnapshot}. Not thread-safe. */
  final class Builder {
    private final String queue;
    private final Instant at;
    private Map<TaskState, Long> sizes = Map.of();
    private long groups;
    private long processedToday;
    private long failedToday;
    private long processed;
    private long failed;
    private @Nullable Instant oldestPendingSince;
    private @Nullable Instant pausedSince;

    private Builder(String queue, Instant at) {
      this.queue = queue;
      this.at = at;
    }

    public Builder sizes(Map<TaskState, Long> newSizes) {
      sizes = newSizes;
      return this;
    }

    public Builder groups(long count) {
      groups = count;
      return this;
    }

    public Builder processedToday(long count) {
      processedToday = count;
      return this;
    }

    public Builder failedToday(long count) {
      failedToday = count;
      return this;
    }

    public Builder processed(long count) {
      processed = count;
      return this;
    }

    public Builder failed(long count) {
      failed = count;
      return this;
    }

    public Builder oldestPendingSince(@Nullable Instant since) {
      oldestPendingSince = since;
      return this;
    }

    public Builder pausedSince(@Nullable Instant since) {
      pausedSince = since;
      return this;
    }

    public QueueSnapshot build() {
      return new Queue(
          queue,
          at,
          Map.copyOf(sizes),
          groups,
          processedToday,
          failedToday,
          processed,
          failed,
          oldestPendingSince,
          pausedSince);
    }

    private record Queue(
        String queue,
        Instant at,
        Map<TaskState, Long> sizes,
        long groups,
        long processedToday,
        long failedToday,
        long processed,
        long failed,
        @Nullable Instant oldestPendingSince,
        @Nullable Instant pausedSince)
        implements QueueSnapshot {}
  }
}
