package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a task is to be treated. What is not set takes its default when the task is enqueued.
 * Immutable; every rule about a value is checked here and nowhere else.
 *
 * <p>Times are kept in whole seconds by the protocol: durations are rounded up, so that half a
 * second of timeout, retention or uniqueness never turns into none.
 */
public final class TaskOptions {

  public static final int DEFAULT_MAX_RETRY = 25;

  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(30);

  /** The latest time that a task may wait for: Go and JSON have no later year. */
  public static final Instant LATEST_TIME = Instant.parse("9999-12-31T23:59:59Z");

  /** How long a task may wait, or hold its lock, at most: about 7,900 years. */
  public static final Duration LONGEST_TIME = Duration.ofDays(2_900_000);

  private static final TaskOptions DEFAULTS = new Builder().build();

  private final @Nullable QueueName queue;
  private final @Nullable Integer maxRetry;
  private final @Nullable Duration timeout;
  private final @Nullable Instant deadline;
  private final @Nullable Duration uniqueFor;
  private final @Nullable Instant processAt;
  private final @Nullable Duration processIn;
  private final boolean precise;
  private final @Nullable String id;
  private final @Nullable Duration retention;
  private final @Nullable String group;
  private final Map<String, String> headers;

  private TaskOptions(Builder builder) {
    this.queue = builder.queue;
    this.maxRetry = builder.maxRetry;
    this.timeout = builder.timeout;
    this.deadline = builder.deadline;
    this.uniqueFor = builder.uniqueFor;
    this.processAt = builder.processAt;
    this.processIn = builder.processIn;
    this.precise = builder.precise;
    this.id = builder.id;
    this.retention = builder.retention;
    this.group = builder.group;
    this.headers = Map.copyOf(builder.headers);
    if (maxRetry != null && maxRetry < 0) {
      throw new IllegalArgumentException("maxRetry must not be negative: " + maxRetry);
    }
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException(
          "timeout must be positive: "
              + timeout
              + " (leave it out for "
              + DEFAULT_TIMEOUT
              + ", or set a deadline)");
    }
    if (retention != null && retention.isNegative()) {
      throw new IllegalArgumentException("retention must not be negative: " + retention);
    }
    if (deadline != null && deadline.getEpochSecond() <= 0) {
      throw new IllegalArgumentException("deadline must be after 1970: " + deadline);
    }
    if (uniqueFor != null && uniqueFor.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("uniqueFor must be a second or more: " + uniqueFor);
    }
    if (processAt != null && processIn != null) {
      throw new IllegalArgumentException(
          "set processAt or processIn, not both: " + processAt + ", " + processIn);
    }
    if (processIn != null && processIn.isNegative()) {
      throw new IllegalArgumentException("processIn must not be negative: " + processIn);
    }
    if (processAt != null && processAt.isAfter(LATEST_TIME)) {
      throw new IllegalArgumentException(
          "processAt must not be after " + LATEST_TIME + ": " + processAt);
    }
    requireAtMost(uniqueFor, "uniqueFor");
    requireAtMost(processIn, "processIn");
    requireName(id, "task id");
    requireName(group, "group");
  }

  /** Where it goes; {@code default} when not set. */
  public @Nullable QueueName queue() {
    return queue;
  }

  /** How often a failed task is tried again; 25 when not set. */
  public @Nullable Integer maxRetry() {
    return maxRetry;
  }

  /** How long one attempt may take; 30 minutes when neither it nor a deadline is set. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  /** When the task is no longer worth running. */
  public @Nullable Instant deadline() {
    return deadline;
  }

  /** How long no equal task (same queue, type and payload) is taken in. */
  public @Nullable Duration uniqueFor() {
    return uniqueFor;
  }

  /** When it may run. */
  public @Nullable Instant processAt() {
    return processAt;
  }

  /** How long from now it may run. */
  public @Nullable Duration processIn() {
    return processIn;
  }

  /**
   * Whether the time it may run is kept to the millisecond; Go workers may then run it up to a
   * second early.
   */
  public boolean precise() {
    return precise;
  }

  /** Its id, unique within the queue; a random one when not set. */
  public @Nullable String id() {
    return id;
  }

  /** How long it is kept after success. */
  public @Nullable Duration retention() {
    return retention;
  }

  /** The group it is to be aggregated with. */
  public @Nullable String group() {
    return group;
  }

  /** Metadata that travels with it. */
  public Map<String, String> headers() {
    return headers;
  }

  private static void requireAtMost(@Nullable Duration time, String what) {
    if (time != null && time.compareTo(LONGEST_TIME) > 0) {
      throw new IllegalArgumentException(
          what + " must be at most " + LONGEST_TIME.toDays() + " days: " + time);
    }
  }

  private static void requireName(@Nullable String name, String what) {
    if (name != null) {
      TextValidator.requireNotBlank(name, what);
      TextValidator.requireValidUnicode(name, what);
    }
  }

  /** Nothing is set. */
  public static TaskOptions defaults() {
    return DEFAULTS;
  }

  /** What these settings set, such as {@code o -> o.queue("mail").maxRetry(5)}. */
  public static TaskOptions of(UnaryOperator<Builder> settings) {
    return settings.apply(new Builder()).build();
  }

  /** A builder with nothing set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that starts with these options. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.queue = queue;
    builder.maxRetry = maxRetry;
    builder.timeout = timeout;
    builder.deadline = deadline;
    builder.uniqueFor = uniqueFor;
    builder.processAt = processAt;
    builder.processIn = processIn;
    builder.precise = precise;
    builder.id = id;
    builder.retention = retention;
    builder.group = group;
    builder.headers.putAll(headers);
    return builder;
  }

  /** These options with others over them: what the others set wins, headers are put together. */
  public TaskOptions overriddenBy(TaskOptions other) {
    boolean otherTime = other.processAt != null || other.processIn != null;
    Builder both = toBuilder();
    both.queue = other.queue != null ? other.queue : queue;
    both.maxRetry = other.maxRetry != null ? other.maxRetry : maxRetry;
    both.timeout = other.timeout != null ? other.timeout : timeout;
    both.deadline = other.deadline != null ? other.deadline : deadline;
    both.uniqueFor = other.uniqueFor != null ? other.uniqueFor : uniqueFor;
    both.processAt = otherTime ? other.processAt : processAt;
    both.processIn = otherTime ? other.processIn : processIn;
    both.precise = other.precise || precise;
    both.id = other.id != null ? other.id : id;
    both.retention = other.retention != null ? other.retention : retention;
    both.group = other.group != null ? other.group : group;
    both.headers.putAll(other.headers);
    return both.build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TaskOptions that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "TaskOptions",
        "queue maxRetry timeout deadline uniqueFor processAt processIn precise id retention group headers",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        queue, maxRetry, timeout, deadline, uniqueFor, processAt, processIn, precise, id, retention,
        group, headers);
  }

  /** Collects options; not thread-safe. */
  public static final class Builder {
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

    /** Where the task goes. Default: {@code default}. */
    public Builder queue(String queue) {
      return queue(QueueName.of(queue));
    }

    public Builder queue(QueueName queue) {
      this.queue = queue;
      return this;
    }

    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder deadline(Instant deadline) {
      this.deadline = deadline;
      return this;
    }

    public Builder uniqueFor(Duration uniqueFor) {
      this.uniqueFor = uniqueFor;
      return this;
    }

    public Builder processAt(Instant processAt) {
      this.processAt = processAt;
      return this;
    }

    public Builder processIn(Duration processIn) {
      this.processIn = processIn;
      return this;
    }

    public Builder precise() {
      this.precise = true;
      return this;
    }

    public Builder id(String id) {
      this.id = id;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public Builder group(String group) {
      this.group = group;
      return this;
    }

    public Builder header(String name, String value) {
      headers.put(
          TextValidator.requireValidUnicode(name, "header name"),
          TextValidator.requireValidUnicode(value, "value of header " + name));
      return this;
    }

    public TaskOptions build() {
      return new TaskOptions(this);
    }
  }
}
