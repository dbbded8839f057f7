package io.asynq4j;

import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a task at one instant. Immutable.
 *
 * <p>The library makes these; {@link #builder} is for tests and fakes.
 */
public final class TaskInfo {

  /** What the {@code lastError} of a completed task begins with when its result was not kept. */
  public static final String RESULT_DROPPED = "result dropped: ";

  private final String id;
  private final QueueName queue;
  private final String type;
  private final Payload payload;
  private final Map<String, String> headers;
  private final TaskState state;
  private final int maxRetry;
  private final int retried;
  private final String lastError;
  private final @Nullable Instant lastFailedAt;
  private final @Nullable Duration timeout;
  private final @Nullable Instant deadline;
  private final String group;
  private final @Nullable Instant nextProcessAt;
  private final boolean orphaned;
  private final Duration retention;
  private final @Nullable Instant completedAt;
  private final Payload result;
  private final int crashes;
  private final String uniqueKey;
  private final @Nullable Progress progress;
  private final @Nullable Instant since;

  private TaskInfo(Builder builder) {
    this.id = builder.id;
    this.queue = builder.queue;
    this.type = builder.type;
    this.payload = builder.payload;
    this.headers = Map.copyOf(builder.headers);
    this.state = builder.state;
    this.maxRetry = builder.maxRetry;
    this.retried = builder.retried;
    this.lastError = builder.lastError;
    this.lastFailedAt = builder.lastFailedAt;
    this.timeout = builder.timeout;
    this.deadline = builder.deadline;
    this.group = builder.group;
    this.nextProcessAt = builder.nextProcessAt;
    this.orphaned = builder.orphaned;
    this.retention = builder.retention;
    this.completedAt = builder.completedAt;
    this.result = builder.result;
    this.crashes = builder.crashes;
    this.uniqueKey = builder.uniqueKey;
    this.progress = builder.progress;
    this.since = builder.since;
  }

  /**
   * A pending task without payload, to start from: for tests and fakes; the library makes all
   * others.
   */
  public static Builder builder(String id, QueueName queue, String type) {
    return new Builder(id, queue, type);
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder(id, queue, type)
        .payload(payload)
        .headers(headers)
        .state(state)
        .maxRetry(maxRetry)
        .retried(retried)
        .lastError(lastError)
        .lastFailedAt(lastFailedAt)
        .timeout(timeout)
        .deadline(deadline)
        .group(group)
        .nextProcessAt(nextProcessAt)
        .orphaned(orphaned)
        .retention(retention)
        .completedAt(completedAt)
        .result(result)
        .crashes(crashes)
        .uniqueKey(uniqueKey)
        .progress(progress)
        .since(since);
  }

  /** The id, unique within the queue. */
  public String id() {
    return id;
  }

  /** The queue of the task. */
  public QueueName queue() {
    return queue;
  }

  /** The name of the task type. */
  public String type() {
    return type;
  }

  /** The input, as bytes. */
  public Payload payload() {
    return payload;
  }

  /** Metadata that travels with the task. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Where the task is in its life. */
  public TaskState state() {
    return state;
  }

  /** How often a failed task is tried again. */
  public int maxRetry() {
    return maxRetry;
  }

  /** Retries used up so far. */
  public int retried() {
    return retried;
  }

  /** Why the last attempt failed; empty when none did. */
  public String lastError() {
    return lastError;
  }

  /** When the last attempt failed; null when none did. */
  public @Nullable Instant lastFailedAt() {
    return lastFailedAt;
  }

  /** Limit of one attempt; null when only the deadline limits it. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  /** When the task is no longer worth running; null for never. */
  public @Nullable Instant deadline() {
    return deadline;
  }

  /** The group that it is aggregated with; empty for none. */
  public String group() {
    return group;
  }

  /** When it is due: now for a pending task, the time it waits for if scheduled or in retry. */
  public @Nullable Instant nextProcessAt() {
    return nextProcessAt;
  }

  /** It is active, but the lease of its worker has run out. */
  public boolean orphaned() {
    return orphaned;
  }

  /** How long it is kept after success. */
  public Duration retention() {
    return retention;
  }

  /** When it succeeded; null when it has not. */
  public @Nullable Instant completedAt() {
    return completedAt;
  }

  /** What the handler returned; absent when there is none. */
  public Payload result() {
    return result;
  }

  /** How often in a row its worker has vanished. */
  public int crashes() {
    return crashes;
  }

  /** The Redis key of the lock it took; empty when it is not unique. */
  public String uniqueKey() {
    return uniqueKey;
  }

  /** How far its last attempt came; null when that has said nothing. */
  public @Nullable Progress progress() {
    return progress;
  }

  /**
   * Since when it is in its state; null where that is not kept: for scheduled and active tasks, and
   * for what a Go process has made pending.
   */
  public @Nullable Instant since() {
    return since;
  }

  /**
   * Whether the task has succeeded with a result that was too large to be kept; then {@code
   * lastError} says how large it was.
   */
  public boolean isResultDropped() {
    return state == TaskState.COMPLETED && lastError.startsWith(RESULT_DROPPED);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TaskInfo that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "TaskInfo",
        "id queue type payload headers state maxRetry retried lastError lastFailedAt timeout deadline group nextProcessAt orphaned retention completedAt result crashes uniqueKey progress since",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        id,
        queue,
        type,
        payload,
        headers,
        state,
        maxRetry,
        retried,
        lastError,
        lastFailedAt,
        timeout,
        deadline,
        group,
        nextProcessAt,
        orphaned,
        retention,
        completedAt,
        result,
        crashes,
        uniqueKey,
        progress,
        since);
  }

  /** Collects the values of a {@link TaskInfo}. Not thread-safe. */
  public static final class Builder {
    private final String id;
    private final QueueName queue;
    private final String type;
    private Payload payload = Payload.absent();
    private Map<String, String> headers = Map.of();
    private TaskState state = TaskState.PENDING;
    private int maxRetry = TaskOptions.DEFAULT_MAX_RETRY;
    private int retried;
    private String lastError = "";
    private @Nullable Instant lastFailedAt;
    private @Nullable Duration timeout;
    private @Nullable Instant deadline;
    private String group = "";
    private @Nullable Instant nextProcessAt;
    private boolean orphaned;
    private Duration retention = Duration.ZERO;
    private @Nullable Instant completedAt;
    private Payload result = Payload.absent();
    private int crashes;
    private String uniqueKey = "";
    private @Nullable Progress progress;
    private @Nullable Instant since;

    private Builder(String id, QueueName queue, String type) {
      this.id = id;
      this.queue = queue;
      this.type = type;
    }

    public Builder payload(Payload payload) {
      this.payload = payload;
      return this;
    }

    public Builder headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    public Builder state(TaskState state) {
      this.state = state;
      return this;
    }

    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    public Builder retried(int retried) {
      this.retried = retried;
      return this;
    }

    public Builder lastError(String lastError) {
      this.lastError = lastError;
      return this;
    }

    public Builder lastFailedAt(@Nullable Instant lastFailedAt) {
      this.lastFailedAt = lastFailedAt;
      return this;
    }

    public Builder timeout(@Nullable Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder deadline(@Nullable Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder group(String group) {
      this.group = group;
      return this;
    }

    public Builder nextProcessAt(@Nullable Instant nextProcessAt) {
      this.nextProcessAt = nextProcessAt;
      return this;
    }

    public Builder orphaned(boolean orphaned) {
      this.orphaned = orphaned;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public Builder completedAt(@Nullable Instant completedAt) {
      this.completedAt = completedAt;
      return this;
    }

    public Builder result(Payload result) {
      this.result = result;
      return this;
    }

    public Builder crashes(int crashes) {
      this.crashes = crashes;
      return this;
    }

    public Builder uniqueKey(String uniqueKey) {
      this.uniqueKey = uniqueKey;
      return this;
    }

    public Builder progress(@Nullable Progress progress) {
      this.progress = progress;
      return this;
    }

    public Builder since(@Nullable Instant since) {
      this.since = since;
      return this;
    }

    public TaskInfo build() {
      return new TaskInfo(this);
    }
  }

  /**
   * An attempt at a task that failed. Immutable.
   *
   * @param at when it ended, to the millisecond
   * @param error its error, shortened
   * @param trace where it failed: the beginning of the stack trace; empty when none was kept
   */
  public record FailedAttempt(Instant at, String error, String trace) {}
}
