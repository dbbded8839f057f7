package io.asynq4j.client;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.Durability;
import io.asynq4j.QueueName;
import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.client.AsyncBatcher;
import io.asynq4j.internal.client.CallOptions;
import io.asynq4j.internal.client.EnqueueDispatcher;
import io.asynq4j.internal.client.EnqueueSender;
import io.asynq4j.internal.client.PendingBudget;
import io.asynq4j.internal.client.ResultWaiter;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues tasks in Redis. Thread-safe: one client serves a whole process.
 *
 * <pre>{@code
 * TaskClient client = TaskClient.create(redis);
 * client.enqueue(WELCOME_EMAIL, new WelcomeEmail(42, "en"), o -> o.processIn(ofHours(1)));
 * }</pre>
 *
 * <p>In addition to the exceptions of {@link Enqueuer}, methods throw {@link
 * io.asynq4j.BrokerException} if Redis is unavailable or refuses the task; it reports whether the
 * task may be enqueued nevertheless. They throw {@link UnconfirmedTaskException} if the task is
 * enqueued, but its durability is not confirmed.
 *
 * <p>Closing a client ends its threads after their tasks are enqueued. The connection stays open.
 */
public final class TaskClient implements Enqueuer, AutoCloseable {

  private static final int MAX_CALLS = 8;

  private static final int MAX_SENDERS = 4;
  private static final int CALLBACK_THREADS = 4;
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final AsyncBatcher batcher;
  private final ExecutorService ownCallbacks =
      DaemonThreadPools.upTo(CALLBACK_THREADS, "asynq-callback");
  private final DispatchingEnqueuer enqueuer;
  private final ResultWaiter results;
  private final PayloadCodec codec;

  private TaskClient(Builder builder) {
    Broker broker = BrokerConnection.brokerOf(builder.redis);
    int connections = builder.redis.maxConnections();
    EnqueueSender sender = new EnqueueSender(broker.enqueueing());
    Function<QueueName, String> shardOf = broker.watches()::shardOf;
    int senders = Math.max(1, Math.min(MAX_SENDERS, connections / 4));
    this.batcher =
        new AsyncBatcher(
            sender, shardOf, shard -> DaemonThreadPools.upTo(senders, "asynq-enqueue"));
    EnqueueDispatcher dispatcher =
        new EnqueueDispatcher(
            sender,
            builder.maxCalls > 0
                ? builder.maxCalls
                : Math.max(1, Math.min(MAX_CALLS, connections / 2)),
            shardOf,
            batcher,
            new PendingBudget(builder.maxWaiting));
    this.enqueuer =
        new DispatchingEnqueuer(
            new EnqueueMapper(
                broker.enqueueing(), broker.clock(), builder.codec, builder.maxPayload),
            dispatcher,
            builder.callbacks != null ? builder.callbacks : ownCallbacks,
            new CallOptions(
                null,
                new DurabilityRequirement(
                    builder.durability, builder.replicas, builder.confirmWithin)));
    this.results = new ResultWaiter(broker.tasks());
    this.codec = builder.codec;
  }

  /** Returns a client with default settings. */
  public static TaskClient create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(redis);
  }

  /** Enqueues a task and returns when Redis has replied. */
  @Override
  public EnqueueResult enqueue(EnqueueRequest request) {
    return enqueuer.enqueue(request);
  }

  /**
   * Enqueues a task without waiting for Redis. Tasks that arrive while a call is in flight are sent
   * together in the next one. Tasks of one queue are enqueued in the order of the calls.
   *
   * <p>Blocks while too many tasks wait to be sent, so that a slow Redis slows its producers
   * instead of filling their memory.
   *
   * <p>The callback executor of the client completes the stage and runs its dependent actions.
   */
  @Override
  public CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    return enqueuer.enqueueAsync(request);
  }

  /** Enqueues many tasks of any queues and types in few calls; see {@link Enqueuer}. */
  @Override
  public List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    return enqueuer.enqueueAll(requests);
  }

  /**
   * Returns a view of this client whose calls return or throw within this time, even if Redis does
   * not reply. The exception reports whether the task may be enqueued nevertheless. Such calls run
   * on another thread, which costs a few microseconds.
   */
  public Enqueuer within(Duration limit) {
    return enqueuer.within(limit);
  }

  /** Returns a view of this client whose calls wait until a task has this durability. */
  public Enqueuer durably(Durability durability) {
    return enqueuer.durably(durability);
  }

  /** Combines {@link #durably(Durability)} and {@link #within(Duration)}. */
  public Enqueuer durably(Durability durability, Duration limit) {
    return enqueuer.durably(durability).within(limit);
  }

  /**
   * Waits until a task has completed or is archived. Returns empty if that does not happen within
   * this time. The task is read every few milliseconds at first, later twice a second. A result
   * that was too large to keep is absent: see {@link TaskInfo#isResultDropped}.
   *
   * @throws io.asynq4j.TaskNotFoundException if there is no such task; a task without {@code
   *     retention} disappears when it succeeds
   */
  public Optional<TaskInfo> awaitResult(String queue, String id, Duration timeout)
      throws InterruptedException {
    return awaitResult(QueueName.of(queue), id, timeout);
  }

  /** The same as {@link #awaitResult(String, String, Duration)}. */
  public Optional<TaskInfo> awaitResult(QueueName queue, String id, Duration timeout)
      throws InterruptedException {
    return results.await(queue, id, timeout);
  }

  /**
   * Waits until an enqueued task has ended, as {@link #awaitResult(String, String, Duration)} does.
   */
  public Optional<TaskInfo> awaitResult(TaskInfo task, Duration timeout)
      throws InterruptedException {
    return awaitResult(task.queue(), task.id(), timeout);
  }

  /**
   * Waits until a task has completed and returns its result. The task needs a {@code retention}
   * longer than the wait.
   *
   * <pre>{@code
   * TaskInfo task = client.enqueue(RESIZE, image).orThrow();
   * Thumbnail thumbnail = client.awaitResult(RESIZE, task, ofSeconds(30));
   * }</pre>
   *
   * @throws TimeoutException if the task has not ended within this time
   * @throws TaskFailedException if the task was archived
   * @throws io.asynq4j.codec.PayloadException if the task has no result of this type
   * @throws io.asynq4j.TaskNotFoundException if there is no such task; a task without {@code
   *     retention} disappears when it succeeds
   */
  public <R> R awaitResult(ResultTaskType<?, R> type, TaskInfo task, Duration timeout)
      throws InterruptedException, TimeoutException {
    TaskInfo ended =
        awaitResult(task, timeout)
            .orElseThrow(
                () ->
                    new TimeoutException(
                        "task with id=%s in queue \"%s\" has not ended within %s: await it for longer, or read its state with an Inspector"
                            .formatted(task.id(), task.queue(), timeout)));
    if (ended.state() == TaskState.ARCHIVED) {
      throw new TaskFailedException(ended);
    }
    return type.result(ended, codec);
  }

  /**
   * Rejects new tasks. Waits up to ten seconds until tasks of {@code enqueueAsync} are enqueued,
   * and fails the rest. The connection stays open.
   */
  @Override
  public void close() {
    batcher.close(CLOSING);
    ownCallbacks.shutdown();
  }

  /** Builder of a {@link TaskClient}. Not thread-safe. */
  public static final class Builder {

    private static final int MAX_PAYLOAD = 64 << 20;

    private final RedisConnection redis;
    private PayloadCodec codec;
    private int maxPayload = 1 << 20;
    private Durability durability = Durability.PRIMARY;
    private int replicas = 1;
    private Duration confirmWithin = Duration.ofSeconds(1);
    private int maxCalls;
    private int maxWaiting = 10_000;
    private @Nullable Executor callbacks;

    private Builder(RedisConnection redis) {
      this.redis = Objects.requireNonNull(redis, "redis");
      this.codec = redis.codec();
    }

    /** Sets the codec of inputs and results. Default: that of the connection. */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /**
     * Maximum payload size in bytes, up to 64 MiB. Redis executes one command at a time, so a large
     * payload delays all clients when it is enqueued and with each attempt. Default: 1 MiB.
     */
    public Builder maxPayload(int bytes) {
      require(
          bytes >= 1 && bytes <= MAX_PAYLOAD, "maxPayload must be 1 byte to 64 MiB, got " + bytes);
      this.maxPayload = bytes;
      return this;
    }

    /** When a task counts as enqueued. Default: {@link Durability#PRIMARY}. */
    public Builder durability(Durability durability) {
      this.durability = Objects.requireNonNull(durability, "durability");
      return this;
    }

    /** Number of replicas that must have a task for REPLICATED. Default: 1. */
    public Builder replicas(int replicas) {
      requireAtLeast(1, replicas, "replicas");
      this.replicas = replicas;
      return this;
    }

    /** Maximum time to wait for REPLICATED or FSYNCED, up to 1 minute. Default: 1 second. */
    public Builder confirmWithin(Duration confirmWithin) {
      TimeMath.requireBetween(
          "confirmWithin", confirmWithin, Duration.ofMillis(1), Duration.ofMinutes(1));
      this.confirmWithin = confirmWithin;
      return this;
    }

    /**
     * Maximum number of concurrent calls by waiting threads. Tasks that arrive meanwhile share the
     * next call. More calls are used the slower Redis replies. Default: half of the connections, at
     * most 8.
     */
    public Builder maxCalls(int maxCalls) {
      requireBetween(1, redis.maxConnections(), maxCalls, "maxCalls (at most maxConnections)");
      this.maxCalls = maxCalls;
      return this;
    }

    /**
     * Number of tasks of {@code enqueueAsync} that may wait to be sent before it blocks. A task
     * counts once more for each 4 KiB of its payload. Default: 10,000.
     */
    public Builder maxWaiting(int maxWaiting) {
      requireAtLeast(1, maxWaiting, "maxWaiting");
      this.maxWaiting = maxWaiting;
      return this;
    }

    /**
     * Sets the executor that completes the stages of {@code enqueueAsync} and runs their dependent
     * actions. Actions that block delay other stages, but no task. Default: four threads of the
     * client.
     */
    public Builder callbacks(Executor callbacks) {
      this.callbacks = Objects.requireNonNull(callbacks, "callbacks");
      return this;
    }

    public TaskClient build() {
      return new TaskClient(this);
    }
  }
}
