package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule entry, as a live scheduler publishes it or as it is stored without a live scheduler.
 * Immutable.
 */
public sealed interface ScheduleSnapshot {

  /**
   * The name of the entry, or the random ID of an entry of a Go scheduler. A broken row without an
   * ID has the scheduler and the number of the row, such as {@code host:7:3c5f#2}.
   */
  String id();

  /** The schedule, such as {@code 0 3 * * *} or {@code @every 1h}. */
  String spec();

  /** The type of the tasks that it enqueues; empty without a live scheduler. */
  String taskType();

  /** The payload of the tasks that it enqueues; absent without a live scheduler. */
  Payload taskPayload();

  /** The options of the tasks that it enqueues, as far as they can be read. */
  TaskOptions options();

  /** The options that cannot be read, as text. */
  List<String> unreadOptions();

  /** The next instant; null if it is unknown or there is none. */
  @Nullable Instant next();

  /** The last instant at which it enqueued a task; null if there is none. */
  @Nullable Instant previous();

  /** Since when it is paused; null if it is not paused. */
  @Nullable Instant pausedSince();

  /** Whether a live scheduler publishes it. */
  boolean isLive();

  /**
   * Whether it is stored and can be paused, resumed, run and forgotten. Entries of Go schedulers,
   * and those of schedulers without a leader, are not stored.
   */
  boolean isRemembered();

  /** Why the row is broken, so that some values are unknown; null if it is not broken. */
  @Nullable String problem();

  /** Returns a builder of an entry without task and times, for tests and fakes. */
  static Builder builder(String id, String spec) {
    return new Builder(id, spec);
  }

  /** Builds a {@link ScheduleSnapshot}. Not thread-safe. */
  final class Builder {
    private final String id;
    private final String spec;
    private String taskType = "";
    private Payload taskPayload = Payload.absent();
    private TaskOptions options = TaskOptions.defaults();
    private List<String> unreadOptions = List.of();
    private @Nullable Instant next;
    private @Nullable Instant previous;
    private @Nullable Instant pausedSince;
    private boolean isLive;
    private boolean isRemembered;
    private @Nullable String problem;

    private Builder(String id, String spec) {
      this.id = id;
      this.spec = spec;
    }

    public Builder taskType(String type) {
      taskType = type;
      return this;
    }

    public Builder taskPayload(Payload payload) {
      taskPayload = payload;
      return this;
    }

    public Builder options(TaskOptions newOptions) {
      options = newOptions;
      return this;
    }

    public Builder unreadOptions(List<String> texts) {
      unreadOptions = texts;
      return this;
    }

    public Builder next(@Nullable Instant at) {
      next = at;
      return this;
    }

    public Builder previous(@Nullable Instant at) {
      previous = at;
      return this;
    }

    public Builder pausedSince(@Nullable Instant since) {
      pausedSince = since;
      return this;
    }

    public Builder isLive(boolean live) {
      isLive = live;
      return this;
    }

    public Builder isRemembered(boolean remembered) {
      isRemembered = remembered;
      return this;
    }

    public Builder problem(@Nullable String reason) {
      problem = reason;
      return this;
    }

    public ScheduleSnapshot build() {
      return new Entry(
          id,
          spec,
          taskType,
          taskPayload,
          options,
          List.copyOf(unreadOptions),
          next,
          previous,
          pausedSince,
          isLive,
          isRemembered,
          problem);
    }

    private record Entry(
        String id,
        String spec,
        String taskType,
        Payload taskPayload,
        TaskOptions options,
        List<String> unreadOptions,
        @Nullable Instant next,
        @Nullable Instant previous,
        @Nullable Instant pausedSince,
        boolean isLive,
        boolean isRemembered,
        @Nullable String problem)
        implements ScheduleSnapshot {}
  }

  /**
   * A task that a schedule entry has enqueued. Immutable.
   *
   * @param taskId empty if the record cannot be read
   * @param problem why the record cannot be read; null if it can
   */
  record ScheduleEvent(String taskId, Instant enqueuedAt, @Nullable String problem) {}
}
