package io.asynq4j.inspect;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A live server as of its last heartbeat. Immutable. */
public sealed interface ServerSnapshot {

  /** The ID of the server. */
  String id();

  /** The name of its host. */
  String host();

  /** The ID of its process. */
  int pid();

  /** The maximum number of handlers that run at once. */
  int concurrency();

  /** The queues that it serves, with their weights. */
  Map<String, Integer> queues();

  /** Whether queues with a higher weight are always served first. */
  boolean strictPriority();

  /**
   * {@code active}, {@code stopped} (it claims no more tasks), {@code closed} (it shuts down) or
   * {@code broken} (its data cannot be read).
   */
  String status();

  /** When it started; null if unknown. */
  @Nullable Instant started();

  /** The time since its last heartbeat, to about a second. */
  Duration heartbeatAge();

  /** The number of running attempts that the server reports. */
  int activeWorkers();

  /** The running attempts. */
  List<WorkerSnapshot> workers();

  /** Why its data cannot be read, so that only host, process and ID are known; null if it can. */
  @Nullable String problem();

  /** Whether it claims tasks. */
  default boolean isActive() {
    return status().equals("active");
  }

  /** Whether it claims tasks from this queue. */
  default boolean serves(QueueName queue) {
    return isActive() && queues().containsKey(queue.value());
  }

  /** Returns a builder of an idle server, for tests and fakes. */
  static Builder builder(String id) {
    return new Builder(id);
  }

  /** Builds a {@link ServerSnapshot}. Not thread-safe. */
  final class Builder {
    private final String id;
    private String host = "";
    private int pid;
    private int concurrency;
    private final Map<String, Integer> queues = new HashMap<>();
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

    public Builder host(String name) {
      host = name;
      return this;
    }

    public Builder pid(int processId) {
      pid = processId;
      return this;
    }

    public Builder concurrency(int handlers) {
      concurrency = handlers;
      return this;
    }

    /** Adds queues with their weights. */
    public Builder queues(Map<String, Integer> weights) {
      queues.putAll(weights);
      return this;
    }

    public Builder queue(QueueName name, int weight) {
      return queues(Map.of(name.value(), weight));
    }

    public Builder strictPriority(boolean strict) {
      strictPriority = strict;
      return this;
    }

    public Builder status(String newStatus) {
      status = newStatus;
      return this;
    }

    public Builder started(@Nullable Instant at) {
      started = at;
      return this;
    }

    public Builder heartbeatAge(Duration age) {
      heartbeatAge = age;
      return this;
    }

    public Builder activeWorkers(int count) {
      activeWorkers = count;
      return this;
    }

    public Builder workers(List<WorkerSnapshot> running) {
      workers = running;
      return this;
    }

    public Builder problem(@Nullable String reason) {
      problem = reason;
      return this;
    }

    public ServerSnapshot build() {
      return new Server(
          id,
          host,
          pid,
          concurrency,
          Map.copyOf(queues),
          strictPriority,
          status,
          started,
          heartbeatAge,
          activeWorkers,
          List.copyOf(workers),
          problem);
    }

    private record Server(
        String id,
        String host,
        int pid,
        int concurrency,
        Map<String, Integer> queues,
        boolean strictPriority,
        String status,
        @Nullable Instant started,
        Duration heartbeatAge,
        int activeWorkers,
        List<WorkerSnapshot> workers,
        @Nullable String problem)
        implements ServerSnapshot {}
  }

  /** A running attempt of a server as of its last heartbeat. Immutable. */
  sealed interface WorkerSnapshot {

    /** The ID of the task; empty if unknown, which is possible only if the row is broken. */
    String taskId();

    /** The type of the task; empty if the row is broken. */
    String taskType();

    /** The payload of the task; absent if the row is broken. */
    Payload taskPayload();

    /** The queue of the task; empty if the row is broken. */
    String queue();

    /** When the attempt started; null if the row is broken. */
    @Nullable Instant started();

    /** When the attempt must have ended. */
    @Nullable Instant deadline();

    /** Why the row is broken, so that at most the task ID is known; null if it is not broken. */
    @Nullable String problem();

    /** Returns a builder of an attempt of which only the task ID is known, for tests and fakes. */
    static Builder builder(String taskId) {
      return new Builder(taskId);
    }

    /** Builds a {@link WorkerSnapshot}. Not thread-safe. */
    final class Builder {
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

      public Builder taskType(String type) {
        taskType = type;
        return this;
      }

      public Builder taskPayload(Payload payload) {
        taskPayload = payload;
        return this;
      }

      public Builder queue(String name) {
        queue = name;
        return this;
      }

      public Builder queue(QueueName name) {
        return queue(name.value());
      }

      public Builder started(@Nullable Instant at) {
        started = at;
        return this;
      }

      public Builder deadline(@Nullable Instant at) {
        deadline = at;
        return this;
      }

      public Builder problem(@Nullable String reason) {
        problem = reason;
        return this;
      }

      public WorkerSnapshot build() {
        return new Worker(taskId, taskType, taskPayload, queue, started, deadline, problem);
      }

      private record Worker(
          String taskId,
          String taskType,
          Payload taskPayload,
          String queue,
          @Nullable Instant started,
          @Nullable Instant deadline,
          @Nullable String problem)
          implements WorkerSnapshot {}
    }
  }
}
