package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.text.ValueText;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A periodic entry, as a live scheduler shows it, or as it is remembered while none does.
 * Immutable.
 */
public final class ScheduleSnapshot {

  private final String id;
  private final String spec;
  private final String taskType;
  private final Payload taskPayload;
  private final TaskOptions options;
  private final List<String> unreadOptions;
  private final @Nullable Instant next;
  private final @Nullable Instant previous;
  private final @Nullable Instant pausedSince;
  private final boolean isLive;
  private final boolean isRemembered;
  private final @Nullable String problem;

  private ScheduleSnapshot(Builder builder) {
    this.id = builder.id;
    this.spec = builder.spec;
    this.taskType = builder.taskType;
    this.taskPayload = builder.taskPayload;
    this.options = builder.options;
    this.unreadOptions = List.copyOf(builder.unreadOptions);
    this.next = builder.next;
    this.previous = builder.previous;
    this.pausedSince = builder.pausedSince;
    this.isLive = builder.isLive;
    this.isRemembered = builder.isRemembered;
    this.problem = builder.problem;
  }

  /**
   * An entry without task and times, to start from: for tests and fakes; the library makes all
   * others.
   */
  public static Builder builder(String id, String spec) {
    return new Builder(id, spec);
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder(id, spec)
        .taskType(taskType)
        .taskPayload(taskPayload)
        .options(options)
        .unreadOptions(unreadOptions)
        .next(next)
        .previous(previous)
        .pausedSince(pausedSince)
        .isLive(isLive)
        .isRemembered(isRemembered)
        .problem(problem);
  }

  /**
   * Its name; of a Go scheduler's entry a random id. Of a broken row whose id is not known, the
   * scheduler and the number of the row there, such as {@code host:7:3c5f#2}.
   */
  public String id() {
    return id;
  }

  /** When it enqueues, as it was given: {@code 0 3 * * *}, {@code @every 1h}. */
  public String spec() {
    return spec;
  }

  /** What it enqueues; empty when no live scheduler shows it. */
  public String taskType() {
    return taskType;
  }

  /** With what; empty when no live scheduler shows it. */
  public Payload taskPayload() {
    return taskPayload;
  }

  /** What its tasks are enqueued with, as far as it can be read. */
  public TaskOptions options() {
    return options;
  }

  /** The texts that cannot. */
  public List<String> unreadOptions() {
    return unreadOptions;
  }

  /** Null when it is not known, or never. */
  public @Nullable Instant next() {
    return next;
  }

  /** Null when it has enqueued nothing yet. */
  public @Nullable Instant previous() {
    return previous;
  }

  /** Null when it is not paused. */
  public @Nullable Instant pausedSince() {
    return pausedSince;
  }

  /** Whether a live scheduler shows it. */
  public boolean isLive() {
    return isLive;
  }

  /**
   * Whether it can be paused, resumed, run and forgotten: what is enqueued by a Go scheduler, or
   * without a leader, cannot.
   */
  public boolean isRemembered() {
    return isRemembered;
  }

  /** Why the row is broken, so that not everything about it is known; null when it is not. */
  public @Nullable String problem() {
    return problem;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ScheduleSnapshot that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "ScheduleSnapshot",
        "id spec taskType taskPayload options unreadOptions next previous pausedSince isLive isRemembered problem",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        id,
        spec,
        taskType,
        taskPayload,
        options,
        unreadOptions,
        next,
        previous,
        pausedSince,
        isLive,
        isRemembered,
        problem);
  }

  /** Collects the values of a {@link ScheduleSnapshot}. Not thread-safe. */
  public static final class Builder {
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

    public Builder taskType(String taskType) {
      this.taskType = taskType;
      return this;
    }

    public Builder taskPayload(Payload taskPayload) {
      this.taskPayload = taskPayload;
      return this;
    }

    public Builder options(TaskOptions options) {
      this.options = options;
      return this;
    }

    public Builder unreadOptions(List<String> unreadOptions) {
      this.unreadOptions = unreadOptions;
      return this;
    }

    public Builder next(@Nullable Instant next) {
      this.next = next;
      return this;
    }

    public Builder previous(@Nullable Instant previous) {
      this.previous = previous;
      return this;
    }

    public Builder pausedSince(@Nullable Instant pausedSince) {
      this.pausedSince = pausedSince;
      return this;
    }

    public Builder isLive(boolean isLive) {
      this.isLive = isLive;
      return this;
    }

    public Builder isRemembered(boolean isRemembered) {
      this.isRemembered = isRemembered;
      return this;
    }

    public Builder problem(@Nullable String problem) {
      this.problem = problem;
      return this;
    }

    public ScheduleSnapshot build() {
      return new ScheduleSnapshot(this);
    }
  }

  /**
   * A task that an entry of a scheduler has enqueued. Immutable.
   *
   * @param taskId empty when the record cannot be read
   * @param problem why the record cannot be read; null when it can
   */
  public record ScheduleEvent(String taskId, Instant enqueuedAt, @Nullable String problem) {}
}
