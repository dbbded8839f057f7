package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a task is to be treated. What is not set takes its default when the task is enqueued.
 * Immutable; every rule about a value is checked here and nowhere else.
 *
 * <p>Times are kept in whole seconds by the protocol: durations are rounded up, so that half a
 * second of timeout, retention or uniqueness never turns into none.
 *
 * @param queue where it goes; {@code default} when not set
 * @param maxRetry how often a failed task is tried again; 25 when not set
 * @param timeout how long one attempt may take; 30 minutes when neither it nor a deadline is set
 * @param deadline when the task is no longer worth running
 * @param uniqueFor how long no equal task (same queue, type and payload) is taken in
 * @param processAt when it may run
 * @param processIn how long from now it may run
 * @param precise keep the time it may run to the millisecond; Go workers may then run it up to a
 *     second early
 * @param id its id, unique within the queue; a random one when not set
 * @param retention how long it is kept after success
 * @param group the group it is to be aggregated with
 * @param headers metadata that travels with it
 */
public record TaskOptions(
    @Nullable QueueName queue,
    @Nullable Integer maxRetry,
    @Nullable Duration timeout,
    @Nullable Instant deadline,
    @Nullable Duration uniqueFor,
    @Nullable Instant processAt,
    @Nullable Duration processIn,
    boolean precise,
    @Nullable String id,
    @Nullable Duration retention,
    @Nullable String group,
    Map<String, String> headers) {

  public static final int DEFAULT_MAX_RETRY = 25;
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(30);

  /** The latest time that a task may wait for: Go and JSON have no later year. */
  public static final Instant LATEST_TIME = Instant.parse("9999-12-31T23:59:59Z");

  /** How long a task may wait, or hold its lock, at most: about 7,900 years. */
  public static final Duration LONGEST_TIME = Duration.ofDays(2_900_000);

  private static final TaskOptions DEFAULTS = new Builder().build();

  public TaskOptions {
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
    headers = Map.copyOf(headers);
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

  public static TaskOptions defaults() {
    return DEFAULTS;
  }

  public static TaskOptions of(UnaryOperator<Builder> settings) {
    return settings.apply(new Builder()).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** These options with others over them: what the others set wins, headers are put together. */
  public TaskOptions overriddenBy(TaskOptions other) {
    boolean otherTime = other.processAt != null || other.processIn != null;
    Map<String, String> allHeaders = new LinkedHashMap<>(headers);
    allHeaders.putAll(other.headers);
    return new TaskOptions(
        other.queue != null ? other.queue : queue,
        other.maxRetry != null ? other.maxRetry : maxRetry,
        other.timeout != null ? other.timeout : timeout,
        other.deadline != null ? other.deadline : deadline,
        other.uniqueFor != null ? other.uniqueFor : uniqueFor,
        otherTime ? other.processAt : processAt,
        otherTime ? other.processIn : processIn,
        other.precise || precise,
        other.id != null ? other.id : id,
        other.retention != null ? other.retention : retention,
        other.group != null ? other.group : group,
        allHeaders);
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

    public Builder queue(String queue) {
      this.queue = QueueName.of(queue);
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
      return new TaskOptions(
          queue, maxRetry, timeout, deadline, uniqueFor, processAt, processIn, precise, id,
          retention, group, headers);
    }
  }
}
