package io.asynq4j.definition;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What holds for all tasks of a name, wherever they are handed in or executed. Immutable. */
public final class TaskDefinition {

  private static final Duration DEFAULT_LONGEST_BACKOFF = Duration.ofHours(1);

  private final String name;
  private final TaskKind kind;
  private final QueueName queue;
  private final int weight;
  private final int maxRun;
  private final boolean ordered;
  private final @Nullable Duration timeout;
  private final @Nullable Integer maxRetry;
  private final @Nullable Duration backoff;
  private final @Nullable Duration longestBackoff;
  private final @Nullable Duration retention;
  private final @Nullable Duration uniqueFor;
  private final long maxPending;
  private final @Nullable RateLimit rate;
  private final FollowUps followUps;
  private final @Nullable String paramsSchema;
  private final boolean fromFile;

  private TaskDefinition(Builder builder) {
    this.name = builder.name;
    this.kind = builder.kind;
    this.queue = builder.queue == null ? QueueName.of(builder.name) : builder.queue;
    this.weight = builder.weight;
    this.maxRun = builder.maxRun;
    this.ordered = builder.ordered;
    this.timeout = builder.timeout;
    this.maxRetry = builder.maxRetry;
    this.backoff = builder.backoff;
    this.longestBackoff = builder.longestBackoff;
    this.retention = builder.retention;
    this.uniqueFor = builder.uniqueFor;
    this.maxPending = builder.maxPending;
    this.rate = builder.rate;
    this.followUps = builder.followUps;
    this.paramsSchema = builder.paramsSchema;
    this.fromFile = builder.fromFile;
    if (name.isBlank()) {
      throw new IllegalArgumentException("a task definition needs a name");
    }
    if (weight < 1) {
      throw new IllegalArgumentException("weight must be 1 or more: " + weight);
    }
    if (maxRun < 0) {
      throw new IllegalArgumentException("maxRun must not be negative: " + maxRun);
    }
    if (maxPending < 0) {
      throw new IllegalArgumentException("maxPending must not be negative: " + maxPending);
    }
    if (backoff == null && longestBackoff != null) {
      throw new IllegalArgumentException("a longest back-off needs a first one");
    }
    if (backoff != null) {
      RetryPolicy.exponential(backoff, longest(backoff, longestBackoff));
    }
    // Checks the values of the options.
    options();
  }

  /** The type of the tasks. */
  public String name() {
    return name;
  }

  /** Who executes them. */
  public TaskKind kind() {
    return kind;
  }

  /** Where they go: one queue for each name. */
  public QueueName queue() {
    return queue;
  }

  /** How much of busy workers the queue gets, compared with the others. */
  public int weight() {
    return weight;
  }

  /** How many may run at once over the whole fleet; 0 = as many as there are workers. */
  public int maxRun() {
    return maxRun;
  }

  /** Whether tasks run one at a time, first in, first out; a failed task blocks the queue. */
  public boolean ordered() {
    return ordered;
  }

  /** How long an attempt may take. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  /** How often a failed one is tried again. */
  public @Nullable Integer maxRetry() {
    return maxRetry;
  }

  /** The delay before the first retry, doubling from then on. */
  public @Nullable Duration backoff() {
    return backoff;
  }

  /** Where it stops to grow. */
  public @Nullable Duration longestBackoff() {
    return longestBackoff;
  }

  /** How long one is kept after success. */
  public @Nullable Duration retention() {
    return retention;
  }

  /** How long no equal one is taken in. */
  public @Nullable Duration uniqueFor() {
    return uniqueFor;
  }

  /** How many may wait before the service takes no more; 0 = any number. */
  public long maxPending() {
    return maxPending;
  }

  /** How many may begin in how long over the whole fleet; null = any number. */
  public @Nullable RateLimit rate() {
    return rate;
  }

  /** Tasks that are enqueued around its attempts. */
  public FollowUps followUps() {
    return followUps;
  }

  /** The JSON Schema of their params, as text. */
  public @Nullable String paramsSchema() {
    return paramsSchema;
  }

  /** Whether a configuration file put it there, and may take it away. */
  public boolean fromFile() {
    return fromFile;
  }

  /** A definition with a queue of the same name, and everything else as it is unless set. */
  public static Builder builder(String name, TaskKind kind) {
    return new Builder(name, kind);
  }

  /** A builder that says what this definition says, to make another one that differs a little. */
  public Builder toBuilder() {
    Builder builder = new Builder(name, kind);
    builder.queue = queue;
    builder.weight = weight;
    builder.maxRun = maxRun;
    builder.ordered = ordered;
    builder.timeout = timeout;
    builder.maxRetry = maxRetry;
    builder.backoff = backoff;
    builder.longestBackoff = longestBackoff;
    builder.retention = retention;
    builder.uniqueFor = uniqueFor;
    builder.maxPending = maxPending;
    builder.rate = rate;
    builder.followUps = followUps;
    builder.paramsSchema = paramsSchema;
    builder.fromFile = fromFile;
    return builder;
  }

  private static Duration longest(Duration first, @Nullable Duration longest) {
    if (longest != null) {
      return longest;
    }
    return first.compareTo(DEFAULT_LONGEST_BACKOFF) > 0 ? first : DEFAULT_LONGEST_BACKOFF;
  }

  private static TaskOptions.Builder options(
      @Nullable Duration timeout,
      @Nullable Integer maxRetry,
      @Nullable Duration retention,
      @Nullable Duration uniqueFor) {
    TaskOptions.Builder options = TaskOptions.builder();
    if (timeout != null) {
      options.timeout(timeout);
    }
    if (maxRetry != null) {
      options.maxRetry(maxRetry);
    }
    if (retention != null) {
      options.retention(retention);
    }
    if (uniqueFor != null) {
      options.uniqueFor(uniqueFor);
    }
    return options;
  }

  /** How tasks of this name are enqueued. */
  public TaskOptions options() {
    return options(timeout, maxRetry, retention, uniqueFor).queue(queue).build();
  }

  /** For producers that embed the library: the type with the options of this definition. */
  public <T> TaskType<T> type(Class<T> input) {
    return TaskType.of(name, input).with(options());
  }

  /** How long failed tasks wait; empty where the definition leaves it to the server. */
  public Optional<RetryPolicy> retryPolicy() {
    return backoff == null
        ? Optional.empty()
        : Optional.of(RetryPolicy.exponential(backoff, longest(backoff, longestBackoff)));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TaskDefinition that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "TaskDefinition",
        "name kind queue weight maxRun ordered timeout maxRetry backoff longestBackoff retention uniqueFor maxPending rate followUps paramsSchema fromFile",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        name,
        kind,
        queue,
        weight,
        maxRun,
        ordered,
        timeout,
        maxRetry,
        backoff,
        longestBackoff,
        retention,
        uniqueFor,
        maxPending,
        rate,
        followUps,
        paramsSchema,
        fromFile);
  }

  /** Collects what a definition says; not thread-safe. */
  public static final class Builder {
    private final String name;
    private final TaskKind kind;
    private @Nullable QueueName queue;
    private int weight = 1;
    private int maxRun;
    private boolean ordered;
    private @Nullable Duration timeout;
    private @Nullable Integer maxRetry;
    private @Nullable Duration backoff;
    private @Nullable Duration longestBackoff;
    private @Nullable Duration retention;
    private @Nullable Duration uniqueFor;
    private long maxPending;
    private @Nullable RateLimit rate;
    private FollowUps followUps = FollowUps.NONE;
    private @Nullable String paramsSchema;
    private boolean fromFile;

    private Builder(String name, TaskKind kind) {
      this.name = name;
      this.kind = kind;
    }

    /** The queue of its tasks. Default: one that is named as they are. */
    public Builder queue(String queue) {
      return queue(QueueName.of(queue));
    }

    public Builder queue(QueueName queue) {
      this.queue = queue;
      return this;
    }

    public Builder weight(int weight) {
      this.weight = weight;
      return this;
    }

    public Builder maxRun(int maxRun) {
      this.maxRun = maxRun;
      return this;
    }

    public Builder ordered(boolean ordered) {
      this.ordered = ordered;
      return this;
    }

    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder maxRetry(int maxRetry) {
      this.maxRetry = maxRetry;
      return this;
    }

    public Builder backoff(Duration first) {
      this.backoff = first;
      return this;
    }

    public Builder longestBackoff(Duration longest) {
      this.longestBackoff = longest;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public Builder uniqueFor(Duration uniqueFor) {
      this.uniqueFor = uniqueFor;
      return this;
    }

    public Builder maxPending(long maxPending) {
      this.maxPending = maxPending;
      return this;
    }

    public Builder rate(RateLimit rate) {
      this.rate = rate;
      return this;
    }

    public Builder followUps(FollowUps followUps) {
      this.followUps = followUps;
      return this;
    }

    public Builder paramsSchema(String schema) {
      this.paramsSchema = schema;
      return this;
    }

    public Builder fromFile(boolean fromFile) {
      this.fromFile = fromFile;
      return this;
    }

    public TaskDefinition build() {
      return new TaskDefinition(this);
    }
  }

  /**
   * Names of tasks that are enqueued around the attempts of another, for those who keep track of
   * it. Immutable.
   *
   * @param before when an attempt begins
   * @param success when it has succeeded
   * @param failure when it has failed, whether it is tried again or not
   */
  public record FollowUps(
      @Nullable String before, @Nullable String success, @Nullable String failure) {

    public static final FollowUps NONE = new FollowUps(null, null, null);

    public FollowUps {
      if (Stream.of(text(before), text(success), text(failure)).anyMatch(String::isBlank)) {
        throw new IllegalArgumentException("a follow-up needs the name of a task");
      }
    }

    private static String text(@Nullable String name) {
      return name == null ? "none" : name;
    }

    public boolean isNone() {
      return equals(NONE);
    }
  }

  /** Who executes the tasks of a name. */
  public enum TaskKind {
    /** The task service, by calling a URL. */
    HTTP,
    /** The task service, by running a program. */
    CMD,
    /** Others: a server with a handler for the name, or workers that lease tasks. */
    WORKER;

    /** As it is written in files and in Redis. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
