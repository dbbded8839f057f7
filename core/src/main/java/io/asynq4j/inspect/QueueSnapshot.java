package io.asynq4j.inspect;

import io.asynq4j.TaskState;
import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is in a queue at one instant. Immutable. */
public final class QueueSnapshot {

  private final String queue;
  private final Instant at;
  private final Map<TaskState, Long> sizes;
  private final long groups;
  private final long processedToday;
  private final long failedToday;
  private final long processed;
  private final long failed;
  private final @Nullable Instant oldestPendingSince;
  private final @Nullable Instant pausedSince;

  private QueueSnapshot(Builder builder) {
    this.queue = builder.queue;
    this.at = builder.at;
    this.sizes = Map.copyOf(builder.sizes);
    this.groups = builder.groups;
    this.processedToday = builder.processedToday;
    this.failedToday = builder.failedToday;
    this.processed = builder.processed;
    this.failed = builder.failed;
    this.oldestPendingSince = builder.oldestPendingSince;
    this.pausedSince = builder.pausedSince;
  }

  /** An empty queue, to start from: for tests and fakes; the library makes all others. */
  public static Builder builder(String queue, Instant at) {
    return new Builder(queue, at);
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder(queue, at)
        .sizes(sizes)
        .groups(groups)
        .processedToday(processedToday)
        .failedToday(failedToday)
        .processed(processed)
        .failed(failed)
        .oldestPendingSince(oldestPendingSince)
        .pausedSince(pausedSince);
  }

  /** The name of the queue. */
  public String queue() {
    return queue;
  }

  /** The time in Redis. */
  public Instant at() {
    return at;
  }

  /** How many tasks there are in each state. */
  public Map<TaskState, Long> sizes() {
    return sizes;
  }

  /** How many groups hold tasks. */
  public long groups() {
    return groups;
  }

  /** Attempts that ended on this UTC day, well or badly. */
  public long processedToday() {
    return processedToday;
  }

  /** Those of them that ended badly. */
  public long failedToday() {
    return failedToday;
  }

  /** Attempts that ended since the queue exists, well or badly. */
  public long processed() {
    return processed;
  }

  /** Those of {@link #processed} that ended badly. */
  public long failed() {
    return failed;
  }

  /** Since when the next task to run has been waiting; null when none does, or it is not known. */
  public @Nullable Instant oldestPendingSince() {
    return oldestPendingSince;
  }

  /** Null when it is not paused. */
  public @Nullable Instant pausedSince() {
    return pausedSince;
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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof QueueSnapshot that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "QueueSnapshot",
        "queue at sizes groups processedToday failedToday processed failed oldestPendingSince pausedSince",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        queue,
        at,
        sizes,
        groups,
        processedToday,
        failedToday,
        processed,
        failed,
        oldestPendingSince,
        pausedSince);
  }

  /** Collects the values of a {@link QueueSnapshot}. Not thread-safe. */
  public static final class Builder {
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

    public Builder sizes(Map<TaskState, Long> sizes) {
      this.sizes = sizes;
      return this;
    }

    public Builder groups(long groups) {
      this.groups = groups;
      return this;
    }

    public Builder processedToday(long processedToday) {
      this.processedToday = processedToday;
      return this;
    }

    public Builder failedToday(long failedToday) {
      this.failedToday = failedToday;
      return this;
    }

    public Builder processed(long processed) {
      this.processed = processed;
      return this;
    }

    public Builder failed(long failed) {
      this.failed = failed;
      return this;
    }

    public Builder oldestPendingSince(@Nullable Instant oldestPendingSince) {
      this.oldestPendingSince = oldestPendingSince;
      return this;
    }

    public Builder pausedSince(@Nullable Instant pausedSince) {
      this.pausedSince = pausedSince;
      return this;
    }

    public QueueSnapshot build() {
      return new QueueSnapshot(this);
    }
  }
}
