package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Options of a task, such as its queue and retries. An option that is not set is null and gets its
 * default when the task is enqueued. Immutable; two objects are equal if all their options are.
 *
 * <pre>{@code
 * TaskOptions options = TaskOptions.of(o -> o.queue("mail").maxRetry(5).processIn(ofHours(1)));
 * }</pre>
 *
 * <p>The protocol stores times in whole seconds. Durations are rounded up, so that half a second of
 * timeout, retention or uniqueness never becomes zero.
 */
public sealed interface TaskOptions permits TaskOptionsRecord {

  int DEFAULT_MAX_RETRY = 25;

  Duration DEFAULT_TIMEOUT = Duration.ofMinutes(30);

  /** Latest time at which a task may become due. Go and JSON support no later year. */
  Instant LATEST_TIME = Instant.parse("9999-12-31T23:59:59Z");

  /** Longest time that a task may wait or hold its lock: about 7,900 years. */
  Duration LONGEST_TIME = Duration.ofDays(2_900_000);

  /** Queue of the task. Default: {@code default}. */
  @Nullable QueueName queue();

  /** Maximum number of retries. Default: 25. */
  @Nullable Integer maxRetry();

  /** Time limit of one attempt. Default: 30 minutes, or no limit if a deadline is set. */
  @Nullable Duration timeout();

  /** Time after which the task is no longer run. Default: none. */
  @Nullable Instant deadline();

  /** How long no equal task (same queue, type and payload) can be enqueued. Default: not unique. */
  @Nullable Duration uniqueFor();

  /** Earliest time to run the task. Default: now. */
  @Nullable Instant processAt();

  /** Delay before the task may run. Default: none. */
  @Nullable Duration processIn();

  /**
   * Whether the time to run is kept to the millisecond. Go workers may then run the task up to a
   * second early. Default: false.
   */
  boolean precise();

  /** ID of the task, unique within the queue. Default: a random one. */
  @Nullable String id();

  /** How long the task is kept after success. Default: not at all. */
  @Nullable Duration retention();

  /** Group to aggregate the task with. Default: none. */
  @Nullable String group();

  /** Metadata that travels with the task. Immutable. */
  Map<String, String> headers();

  /** Returns options of which none is set. */
  static TaskOptions defaults() {
    return TaskOptionsRecord.DEFAULTS;
  }

  /** Returns the options that a function sets, such as {@code o -> o.queue("mail").maxRetry(5)}. */
  static TaskOptions of(UnaryOperator<Builder> settings) {
    return settings.apply(new Builder()).build();
  }

  /** Returns a builder with no option set. */
  static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these options. */
  default Builder toBuilder() {
    return new Builder().putAll(this);
  }

  /** Returns these options, overridden by those that are set in others. Headers are combined. */
  default TaskOptions overriddenBy(TaskOptions other) {
    return toBuilder().putAll(other).build();
  }

  /** Builder of {@link TaskOptions}. Not thread-safe. */
  final class Builder {
    private @Nullable QueueName queue;
    private @Nullable Integer maxRetry;
    private @Nullable Duration timeout;
    private @Nullable Instant deadline;
    private @Nullable Duration uniqueFor;
    private @Nullable Instant processAt;
    private @Nullable Duration processIn;
    private boolean precise;
    private @Nullable String id;
    private @Nullable Duration retention;
    private @Nullable String group;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private Builder() {}

    private Builder putAll(TaskOptions other) {
      queue = other.queue() != null ? other.queue() : queue;
      maxRetry = other.maxRetry() != null ? other.maxRetry() : maxRetry;
      timeout = other.timeout() != null ? other.timeout() : timeout;
      deadline = other.deadline() != null ? other.deadline() : deadline;
      uniqueFor = other.uniqueFor() != null ? other.uniqueFor() : uniqueFor;
      if (other.processAt() != null || other.processIn() != null) {
        processAt = other.processAt();
        processIn = other.processIn();
      }
      precise |= other.precise();
      id = other.id() != null ? other.id() : id;
      retention = other.retention() != null ? other.retention() : retention;
      group = other.group() != null ? other.group() : group;
      headers.putAll(other.headers());
      return this;
    }

    /** Sets the queue. Default: {@code default}. */
    public Builder queue(String queue) {
      return queue(QueueName.of(queue));
    }

    /** Sets the queue. Default: {@code default}. */
    public Builder queue(QueueName queue) {
      this.queue = queue;
      return this;
    }

    /** Sets the maximum number of retries. Default: 25. */
    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    /** Limits the time of one attempt. Default: 30 minutes, or no limit if a deadline is set. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** Sets the time after which the task is no longer run. Default: none. */
    public Builder deadline(Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    /** Rejects equal tasks (same queue, type and payload) for this long. Default: not unique. */
    public Builder uniqueFor(Duration uniqueFor) {
      this.uniqueFor = uniqueFor;
      return this;
    }

    /** Sets the earliest time to run the task. Default: now. */
    public Builder processAt(Instant processAt) {
      this.processAt = processAt;
      return this;
    }

    /** Sets the delay before the task may run. Default: none. */
    public Builder processIn(Duration processIn) {
      this.processIn = processIn;
      return this;
    }

    /**
     * Keeps the time to run to the millisecond. Go workers may then run the task up to a second
     * early.
     */
    public Builder precise() {
      this.precise = true;
      return this;
    }

    /** Sets the ID, unique within the queue. Default: a random one. */
    public Builder id(String id) {
      this.id = id;
      return this;
    }

    /** Keeps the task and its result for this long after success. Default: not at all. */
    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    /** Adds the task to a group to be aggregated. Default: none. */
    public Builder group(String group) {
      this.group = group;
      return this;
    }

    /** Adds a header. */
    public Builder header(String name, String value) {
      TextValidator.requireHeader(name, value);
      headers.put(name, value);
      return this;
    }

    /**
     * Builds the options.
     *
     * @throws IllegalArgumentException if a value is out of range or contradicts another
     */
    public TaskOptions build() {
      return new TaskOptionsRecord(
          queue, maxRetry, timeout, deadline, uniqueFor, processAt, processIn, precise, id,
          retention, group, headers);
    }
  }
}
