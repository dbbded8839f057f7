package io.asynq4j.definition;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all tasks of a name, wherever they are handed in or executed. Immutable.
 *
 * @param name the type of the tasks
 * @param kind who executes them
 * @param queue where they go: one queue for each name
 * @param weight how much of busy workers the queue gets, compared with the others
 * @param maxRun how many may run at once over the whole fleet; 0 = as many as there are workers
 * @param ordered one at a time, first in, first out; one that fails holds the line
 * @param timeout how long an attempt may take
 * @param maxRetry how often a failed one is tried again
 * @param backoff the delay before the first retry, doubling from then on
 * @param longestBackoff where it stops to grow
 * @param retention how long one is kept after success
 * @param uniqueFor how long no equal one is taken in
 * @param maxPending how many may wait before the service takes no more; 0 = any number
 * @param rate how many may begin in how long over the whole fleet; null = any number
 * @param followUps tasks that are enqueued around its attempts
 * @param paramsSchema the JSON Schema of their params, as text
 * @param fromFile whether a configuration file put it there, and may take it away
 */
public record TaskDefinition(
    String name,
    TaskKind kind,
    QueueName queue,
    int weight,
    int maxRun,
    boolean ordered,
    @Nullable Duration timeout,
    @Nullable Integer maxRetry,
    @Nullable Duration backoff,
    @Nullable Duration longestBackoff,
    @Nullable Duration retention,
    @Nullable Duration uniqueFor,
    long maxPending,
    @Nullable RateLimit rate,
    FollowUps followUps,
    @Nullable String paramsSchema,
    boolean fromFile) {

  private static final Duration DEFAULT_LONGEST_BACKOFF = Duration.ofHours(1);

  public TaskDefinition {
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
    options(timeout, maxRetry, retention, uniqueFor);
  }

  /** A definition with a queue of the same name, and everything else as it is unless set. */
  public static Builder builder(String name, TaskKind kind) {
    return new Builder(name, kind);
  }

  /** A builder that says what this definition says, to make another one that differs a little. */
  public Builder toBuilder() {
    Builder builder = new Builder(name, kind);
    builder.queue = queue.value();
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
    options.build();
    return options;
  }

  /** How tasks of this name are enqueued. */
  public TaskOptions options() {
    return options(timeout, maxRetry, retention, uniqueFor).queue(queue.value()).build();
  }

  /** For producers that embed the library: the type with the options of this definition. */
  public <T> TaskType<T> type(Class<T> input) {
    return new TaskType<>(name, input, options());
  }

  /** How long failed tasks wait; empty where the definition leaves it to the server. */
  public Optional<RetryPolicy> retryPolicy() {
    return backoff == null
        ? Optional.empty()
        : Optional.of(RetryPolicy.exponential(backoff, longest(backoff, longestBackoff)));
  }

  /** Collects what a definition says; not thread-safe. */
  public static final class Builder {
    private final String name;
    private final TaskKind kind;
    private String queue;
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
      this.queue = name;
    }

    public Builder queue(String queue) {
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
      return new TaskDefinition(
          name,
          kind,
          QueueName.of(queue),
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
  }
}
