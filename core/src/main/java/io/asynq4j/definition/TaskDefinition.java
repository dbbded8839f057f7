package io.asynq4j.definition;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Central settings for all tasks of a name. They apply wherever the tasks are enqueued or run.
 * Immutable; two definitions are equal if all their values are.
 *
 * <pre>{@code
 * TaskDefinition report =
 *     TaskDefinition.builder("report", TaskKind.WORKER).maxRun(2).timeout(ofMinutes(5)).build();
 * TaskDefinitions.of(redis).put(report);
 * }</pre>
 */
public sealed interface TaskDefinition permits TaskDefinitionRecord {

  /** Name of the task type. */
  String name();

  /** What runs the tasks. */
  TaskKind kind();

  /** Options with which the tasks are enqueued. Their queue is always set. */
  TaskOptions options();

  /** Queue of the tasks. Each name has a queue of its own. */
  default QueueName queue() {
    return Objects.requireNonNull(options().queue(), "a definition always has a queue");
  }

  /** Time limit of one attempt; null for the default. */
  default @Nullable Duration timeout() {
    return options().timeout();
  }

  /** Maximum number of retries; null for the default. */
  default @Nullable Integer maxRetry() {
    return options().maxRetry();
  }

  /** How long a task is kept after success; null for not at all. */
  default @Nullable Duration retention() {
    return options().retention();
  }

  /** How long no equal task can be enqueued; null if tasks are not unique. */
  default @Nullable Duration uniqueFor() {
    return options().uniqueFor();
  }

  /** Share of the workers among busy queues. */
  int weight();

  /** Maximum number of active tasks over all servers; 0 for no limit. */
  int maxRun();

  /** Whether tasks run one at a time, first in, first out. A failed task blocks the queue. */
  boolean ordered();

  /** Delay before the first retry, which doubles with each retry; null for the server's policy. */
  @Nullable Duration backoff();

  /** Maximum delay before a retry; null for one hour. */
  @Nullable Duration longestBackoff();

  /** Number of pending tasks from which the service rejects new ones; 0 for no limit. */
  long maxPending();

  /** Maximum rate at which tasks start, over all servers; null for no limit. */
  @Nullable RateLimit rate();

  /** Tasks that are enqueued before and after each attempt. */
  FollowUps followUps();

  /** JSON Schema of the params, as text; null for none. */
  @Nullable String paramsSchema();

  /** Whether a configuration file has published it and may remove it. */
  boolean fromFile();

  /** Returns the task type with the options of this definition, for producers in Java. */
  default <T> TaskType<T> type(Class<T> input) {
    return TaskType.of(name(), input).with(options());
  }

  /** Returns the delays between attempts; empty for the server's policy. */
  Optional<RetryPolicy> retryPolicy();

  /** Returns a builder of a definition with a queue of the same name. */
  static Builder builder(String name, TaskKind kind) {
    return new Builder(name, kind);
  }

  /** Returns a builder with the values of this definition. */
  default Builder toBuilder() {
    Builder builder = new Builder(name(), kind());
    builder.options = options().toBuilder();
    builder.weight = weight();
    builder.maxRun = maxRun();
    builder.ordered = ordered();
    builder.backoff = backoff();
    builder.longestBackoff = longestBackoff();
    builder.maxPending = maxPending();
    builder.rate = rate();
    builder.followUps = followUps();
    builder.paramsSchema = paramsSchema();
    builder.fromFile = fromFile();
    return builder;
  }

  /** Builder of a {@link TaskDefinition}. Not thread-safe. */
  final class Builder {
    private final String name;
    private final TaskKind kind;
    private TaskOptions.Builder options = TaskOptions.builder();
    private int weight = 1;
    private int maxRun;
    private boolean ordered;
    private @Nullable Duration backoff;
    private @Nullable Duration longestBackoff;
    private long maxPending;
    private @Nullable RateLimit rate;
    private FollowUps followUps = FollowUps.NONE;
    private @Nullable String paramsSchema;
    private boolean fromFile;

    private Builder(String name, TaskKind kind) {
      this.name = name;
      this.kind = kind;
    }

    /** Sets the queue of the tasks. Default: a queue with the name of the tasks. */
    public Builder queue(String queue) {
      return queue(QueueName.of(queue));
    }

    /** Sets the queue of the tasks. Default: a queue with the name of the tasks. */
    public Builder queue(QueueName queue) {
      options.queue(queue);
      return this;
    }

    /** Limits the time of one attempt. Default: 30 minutes. */
    public Builder timeout(Duration timeout) {
      options.timeout(timeout);
      return this;
    }

    /** Sets the maximum number of retries. Default: 25. */
    public Builder maxRetry(int maxRetry) {
      options.maxRetry(maxRetry);
      return this;
    }

    /** Keeps a task for this long after success. Default: not at all. */
    public Builder retention(Duration retention) {
      options.retention(retention);
      return this;
    }

    /** Rejects equal tasks for this long. Default: tasks are not unique. */
    public Builder uniqueFor(Duration uniqueFor) {
      options.uniqueFor(uniqueFor);
      return this;
    }

    /** Sets the share of the workers among busy queues. Default: 1. */
    public Builder weight(int weight) {
      this.weight = weight;
      return this;
    }

    /** Limits the number of active tasks over all servers. Default: 0, no limit. */
    public Builder maxRun(int maxRun) {
      this.maxRun = maxRun;
      return this;
    }

    /** Whether tasks run one at a time, first in, first out. Default: false. */
    public Builder ordered(boolean ordered) {
      this.ordered = ordered;
      return this;
    }

    /** Sets the delay before the first retry. Default: the server's retry policy. */
    public Builder backoff(Duration first) {
      this.backoff = first;
      return this;
    }

    /** Sets the maximum delay before a retry. Default: 1 hour. */
    public Builder longestBackoff(Duration longest) {
      this.longestBackoff = longest;
      return this;
    }

    /**
     * Sets the number of pending tasks from which the service rejects new ones. Default: 0, none.
     */
    public Builder maxPending(long maxPending) {
      this.maxPending = maxPending;
      return this;
    }

    /** Limits the rate at which tasks start. Default: no limit. */
    public Builder rate(RateLimit rate) {
      this.rate = rate;
      return this;
    }

    /** Sets the tasks that are enqueued before and after each attempt. Default: none. */
    public Builder followUps(FollowUps followUps) {
      this.followUps = followUps;
      return this;
    }

    /** Sets the JSON Schema of the params. Default: none. */
    public Builder paramsSchema(String schema) {
      this.paramsSchema = schema;
      return this;
    }

    /** Whether a configuration file publishes the definition and may remove it. Default: false. */
    public Builder fromFile(boolean fromFile) {
      this.fromFile = fromFile;
      return this;
    }

    /**
     * Builds the definition.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public TaskDefinition build() {
      return new TaskDefinitionRecord(
          name,
          kind,
          options.build(),
          weight,
          maxRun,
          ordered,
          backoff,
          longestBackoff,
          maxPending,
          rate,
          followUps,
          paramsSchema,
          fromFile);
    }
  }

  /**
   * Names of tasks that are enqueued before and after each attempt at another task, to track it.
   * Immutable.
   *
   * @param before enqueued when an attempt starts; null for none
   * @param success enqueued after a successful attempt; null for none
   * @param failure enqueued after each failed attempt, whether it is retried or not; null for none
   */
  record FollowUps(@Nullable String before, @Nullable String success, @Nullable String failure) {

    public static final FollowUps NONE = new FollowUps(null, null, null);

    public FollowUps {
      require(
          Stream.of(before, success, failure).allMatch(name -> name == null || !name.isBlank()),
          "a follow-up needs the name of a task, got a blank one");
    }

    public boolean isNone() {
      return equals(NONE);
    }
  }

  /** What runs the tasks of a name. */
  enum TaskKind {
    /** The task service, by calling a URL. */
    HTTP,
    /** The task service, by running a program. */
    CMD,
    /** A server with a handler for the name, or a worker that leases tasks. */
    WORKER;

    /** The name of the kind in configuration files and in Redis. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
