package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A live server, as it was at its last heartbeat. Immutable. */
public final class ServerSnapshot {

  private final String id;
  private final String host;
  private final int pid;
  private final int concurrency;
  private final Map<String, Integer> queues;
  private final boolean strictPriority;
  private final String status;
  private final @Nullable Instant started;
  private final Duration heartbeatAge;
  private final int activeWorkers;
  private final List<WorkerSnapshot> workers;
  private final @Nullable String problem;

  private ServerSnapshot(Builder builder) {
    this.id = builder.id;
    this.host = builder.host;
    this.pid = builder.pid;
    this.concurrency = builder.concurrency;
    this.queues = Map.copyOf(builder.queues);
    this.strictPriority = builder.strictPriority;
    this.status = builder.status;
    this.started = builder.started;
    this.heartbeatAge = builder.heartbeatAge;
    this.activeWorkers = builder.activeWorkers;
    this.workers = List.copyOf(builder.workers);
    this.problem = builder.problem;
  }

  /** An idle server, to start from: for tests and fakes; the library makes all others. */
  public static Builder builder(String id) {
    return new Builder(id);
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder(id)
        .host(host)
        .pid(pid)
        .concurrency(concurrency)
        .queues(queues)
        .strictPriority(strictPriority)
        .status(status)
        .started(started)
        .heartbeatAge(heartbeatAge)
        .activeWorkers(activeWorkers)
        .workers(workers)
        .problem(problem);
  }

  /** The id of the server. */
  public String id() {
    return id;
  }

  /** The name of its host. */
  public String host() {
    return host;
  }

  /** The id of its process. */
  public int pid() {
    return pid;
  }

  /** The maximum number of handlers that run at once. */
  public int concurrency() {
    return concurrency;
  }

  /** The queues that it serves, with their weights. */
  public Map<String, Integer> queues() {
    return queues;
  }

  /** Whether heavier queues go first. */
  public boolean strictPriority() {
    return strictPriority;
  }

  /**
   * {@code active}, {@code stopped} (it claims nothing more) or {@code closed} (it ends); {@code
   * broken} when what it wrote cannot be read.
   */
  public String status() {
    return status;
  }

  /** When it started; null when that is not known. */
  public @Nullable Instant started() {
    return started;
  }

  /** How long ago it has shown itself, to about a second. */
  public Duration heartbeatAge() {
    return heartbeatAge;
  }

  /** How many tasks it works on, by its own count. */
  public int activeWorkers() {
    return activeWorkers;
  }

  /** Those tasks. */
  public List<WorkerSnapshot> workers() {
    return workers;
  }

  /**
   * Why the row is broken, so that only its host, process and id are known; null when it is not.
   */
  public @Nullable String problem() {
    return problem;
  }

  /** Whether it claims tasks, from this queue among others. */
  public boolean serves(String queue) {
    return status.equals("active") && queues.containsKey(queue);
  }

  /** Whether it claims tasks, from this queue among others. */
  public boolean serves(QueueName queue) {
    return serves(queue.value());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ServerSnapshot that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "ServerSnapshot",
        "id host pid concurrency queues strictPriority status started heartbeatAge activeWorkers workers problem",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        id,
        host,
        pid,
        concurrency,
        queues,
        strictPriority,
        status,
        started,
        heartbeatAge,
        activeWorkers,
        workers,
        problem);
  }

  /** Collects the values of a {@link ServerSnapshot}. Not thread-safe. */
  public static final class Builder {
    private final String id;
    private String host = "";
    private int pid;
    private int concurrency;
    private Map<String, Integer> queues = Map.of();
    private boolean strictPriority;
    private String status = "active";
    private @Nullable Instant started;
    private Duration heartbeatAge = Duration.ZERO;
    private int activeWorkers;
    private List<WorkerSnapshot> workers = List.of();
    private @Nullable String problem;

    private Builder(String id) {
      this.id = id;
    }

    public Builder host(String host) {
      this.host = host;
      return this;
    }

    public Builder pid(int pid) {
      this.pid = pid;
      return this;
    }

    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    public Builder queues(Map<String, Integer> queues) {
      this.queues = queues;
      return this;
    }

    public Builder strictPriority(boolean strictPriority) {
      this.strictPriority = strictPriority;
      return this;
    }

    public Builder status(String status) {
      this.status = status;
      return this;
    }

    public Builder started(@Nullable Instant started) {
      this.started = started;
      return this;
    }

    public Builder heartbeatAge(Duration heartbeatAge) {
      this.heartbeatAge = heartbeatAge;
      return this;
    }

    public Builder activeWorkers(int activeWorkers) {
      this.activeWorkers = activeWorkers;
      return this;
    }

    public Builder workers(List<WorkerSnapshot> workers) {
      this.workers = workers;
      return this;
    }

    public Builder problem(@Nullable String problem) {
      this.problem = problem;
      return this;
    }

    public ServerSnapshot build() {
      return new ServerSnapshot(this);
    }
  }

  /** A task that a server works on, as it was at the server's last heartbeat. Immutable. */
  public static final class WorkerSnapshot {

    private final String taskId;
    private final String taskType;
    private final Payload taskPayload;
    private final String queue;
    private final @Nullable Instant started;
    private final @Nullable Instant deadline;
    private final @Nullable String problem;

    private WorkerSnapshot(Builder builder) {
      this.taskId = builder.taskId;
      this.taskType = builder.taskType;
      this.taskPayload = builder.taskPayload;
      this.queue = builder.queue;
      this.started = builder.started;
      this.deadline = builder.deadline;
      this.problem = builder.problem;
    }

    /**
     * A task of which nothing else is known, to start from: for tests and fakes; the library makes
     * all others.
     */
    public static Builder builder(String taskId) {
      return new Builder(taskId);
    }

    /** Returns a builder with the values of this object. */
    public Builder toBuilder() {
      return new Builder(taskId)
          .taskType(taskType)
          .taskPayload(taskPayload)
          .queue(queue)
          .started(started)
          .deadline(deadline)
          .problem(problem);
    }

    /** Empty when it is not known, which only happens to a broken row. */
    public String taskId() {
      return taskId;
    }

    /** The type of the task. */
    public String taskType() {
      return taskType;
    }

    /** The input of the task. */
    public Payload taskPayload() {
      return taskPayload;
    }

    /** Empty in a broken row. */
    public String queue() {
      return queue;
    }

    /** When the attempt began; null in a broken row. */
    public @Nullable Instant started() {
      return started;
    }

    /** When the attempt must be over. */
    public @Nullable Instant deadline() {
      return deadline;
    }

    /** Why the row is broken, so that no more is known than its task id; null when it is not. */
    public @Nullable String problem() {
      return problem;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof WorkerSnapshot that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
      return values().hashCode();
    }

    @Override
    public String toString() {
      return ValueText.of(
          "WorkerSnapshot", "taskId taskType taskPayload queue started deadline problem", values());
    }

    private List<@Nullable Object> values() {
      return Arrays.asList(taskId, taskType, taskPayload, queue, started, deadline, problem);
    }

    /** Collects the values of a {@link WorkerSnapshot}. Not thread-safe. */
    public static final class Builder {
      private final String taskId;
      private String taskType = "";
      private Payload taskPayload = Payload.absent();
      private String queue = "";
      private @Nullable Instant started;
      private @Nullable Instant deadline;
      private @Nullable String problem;

      private Builder(String taskId) {
        this.taskId = taskId;
      }

      public Builder taskType(String taskType) {
        this.taskType = taskType;
        return this;
      }

      public Builder taskPayload(Payload taskPayload) {
        this.taskPayload = taskPayload;
        return this;
      }

      public Builder queue(String queue) {
        this.queue = queue;
        return this;
      }

      public Builder started(@Nullable Instant started) {
        this.started = started;
        return this;
      }

      public Builder deadline(@Nullable Instant deadline) {
        this.deadline = deadline;
        return this;
      }

      public Builder problem(@Nullable String problem) {
        this.problem = problem;
        return this;
      }

      public WorkerSnapshot build() {
        return new WorkerSnapshot(this);
      }
    }
  }
}
