package io.asynq4j.client;

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
import io.asynq4j.internal.client.EnqueueThreadPools;
import io.asynq4j.internal.client.PendingBudget;
import io.asynq4j.internal.client.ResultWaiter;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
 * <p>Beside what {@link Enqueuer} throws, methods throw {@link io.asynq4j.BrokerException} when
 * Redis does not answer or refuses, which also tells whether the task may be enqueued nevertheless,
 * and {@link io.asynq4j.client.UnconfirmedTaskException} when it is enqueued, but not as durably as
 * asked for.
 *
 * <p>A client uses a connection and does not close it; closing the client ends only its own
 * threads, after what was handed to them is enqueued.
 */
public final class TaskClient implements Enqueuer, AutoCloseable {

  private static final int MAX_CALLS = 8;

  private static final int MAX_SENDERS = 4;
  private static final int CALLBACK_THREADS = 4;
  private static final Duration CLOSING = Duration.ofSeconds(10);

  private final AsyncBatcher gatherer;
  private final @Nullable ExecutorService ownCallbacks;
  private final DispatchingEnqueuer enqueuer;
  private final ResultWaiter results;
  private final PayloadCodec codec;

  private TaskClient(Builder builder) {
    Broker broker = BrokerConnection.brokerOf(builder.redis);
    int connections = builder.redis.maxConnections();
    EnqueueSender sender = new EnqueueSender(broker.enqueueing(), builder.confirmations());
    Function<QueueName, String> shardOf = broker.watches()::shardOf;
    int senders = Math.max(1, Math.min(MAX_SENDERS, connections / 4));
    this.gatherer = new AsyncBatcher(sender, new EnqueueThreadPools(shardOf, senders));
    this.ownCallbacks =
        builder.callbacks == null
            ? DaemonThreadPools.upTo(CALLBACK_THREADS, "asynq-callback")
            : null;
    Executor callbacks = builder.callbacks != null ? builder.callbacks : ownCallbacks;
    EnqueueDispatcher dispatcher =
        new EnqueueDispatcher(
            sender,
            builder.maxCalls > 0 ? builder.maxCalls : defaultCalls(connections),
            shardOf,
            gatherer,
            new PendingBudget(builder.maxWaiting));
    this.enqueuer =
        new DispatchingEnqueuer(
            new EnqueueMapper(
                broker.enqueueing(), broker.clock(), builder.codec, builder.maxPayload),
            dispatcher,
            Objects.requireNonNull(callbacks),
            new CallOptions(null, builder.durability));
    this.results = new ResultWaiter(broker.inspection());
    this.codec = builder.codec;
  }

  private static int defaultCalls(int connections) {
    return Math.max(1, Math.min(MAX_CALLS, connections / 2));
  }

  /** A client with all settings as they are unless set. */
  public static TaskClient create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(redis);
  }

  /** Enqueues a task, and returns when Redis has answered. */
  @Override
  public EnqueueResult enqueue(EnqueueRequest request) {
    return enqueuer.enqueue(request);
  }

  /**
   * Enqueues a task without waiting for Redis. Tasks that come while a call is under way are sent
   * together with the next one; those of one queue arrive in the order of the calls.
   *
   * <p>When too many tasks wait already, this blocks until there is room, so that a slow Redis
   * slows its producers instead of filling their memory.
   *
   * <p>The callback executor of the client completes the stage and runs its dependent actions.
   */
  @Override
  public CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    return enqueuer.enqueueAsync(request);
  }

  /** Enqueues many tasks, of any queues and types, in few calls; see {@link Enqueuer}. */
  @Override
  public List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    return enqueuer.enqueueAll(requests);
  }

  /**
   * The same client, but a call returns or throws within this time, whatever Redis does. The
   * exception tells whether the task may be enqueued nevertheless. Such a call is handed to another
   * thread, which costs some microseconds.
   */
  public Enqueuer within(Duration limit) {
    return enqueuer.within(limit);
  }

  /** The same client, but a task counts as enqueued only when it is as durable as this. */
  public Enqueuer durably(Durability durability) {
    return enqueuer.durably(durability);
  }

  /** Both of {@link #durably(Durability)} and {@link #within(Duration)}. */
  public Enqueuer durably(Durability durability, Duration limit) {
    return enqueuer.durably(durability).within(limit);
  }

  /**
   * Waits until a task has ended: completed, with its result, or archived. Returns empty when it
   * has not ended within this time. The task is read every few milliseconds at first, later twice a
   * second. A result that was too large to be kept is absent: see {@link TaskInfo#isResultDropped}.
   *
   * @throws io.asynq4j.TaskNotFoundException if there is no such task, which is also what becomes
   *     of one that succeeds without {@code retention}
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
   * Waits until a task that was enqueued has ended, as {@link #awaitResult(String, String,
   * Duration)} does.
   */
  public Optional<TaskInfo> awaitResult(TaskInfo task, Duration timeout)
      throws InterruptedException {
    return awaitResult(task.queue(), task.id(), timeout);
  }

  /**
   * Waits until a task has ended, and returns its result. Needs a {@code retention} longer than the
   * wait.
   *
   * <pre>{@code
   * TaskInfo task = client.enqueue(RESIZE, image).orThrow();
   * Thumbnail thumbnail = client.awaitResult(RESIZE, task, ofSeconds(30));
   * }</pre>
   *
   * @throws TimeoutException if the task has not ended within this time
   * @throws TaskFailedException if the task was archived
   * @throws io.asynq4j.codec.PayloadException if the task has no result of this type
   * @throws io.asynq4j.TaskNotFoundException if there is no such task, which is also what becomes
   *     of one that succeeds without {@code retention}
   */
  public <R> R awaitResult(ResultTaskType<?, R> type, TaskInfo task, Duration timeout)
      throws InterruptedException, TimeoutException {
    TaskInfo ended =
        awaitResult(task, timeout)
            .orElseThrow(
                () ->
                    new TimeoutException(
                        "task with id=%s in queue \"%s\" has not ended within %s: await it for longer, or look at its state with an Inspector"
                            .formatted(task.id(), task.queue(), timeout)));
    if (ended.state() == TaskState.ARCHIVED) {
      throw new TaskFailedException(ended);
    }
    return type.result(ended, codec);
  }

  /**
   * Takes no more tasks. Waits up to ten seconds until those of {@code enqueueAsync} are enqueued;
   * what is not by then fails. The connection stays open.
   */
  @Override
  public void close() {
    gatherer.close(CLOSING);
    if (ownCallbacks != null) {
      ownCallbacks.shutdown();
    }
  }

  /** Collects settings; not thread-safe. */
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

    /** How inputs become bytes, and bytes become results. Default: the codec of the connection. */
    public Builder codec(PayloadCodec codec) {
      this.codec = Objects.requireNonNull(codec, "codec");
      return this;
    }

    /**
     * The largest payload in bytes; 1 MiB unless set, 64 MiB at most. Redis does one thing at a
     * time: while it takes a large payload in, and hands it out for each attempt, everybody waits.
     */
    public Builder maxPayload(int bytes) {
      require(bytes >= 1 && bytes <= MAX_PAYLOAD, "maxPayload must be 1 byte to 64 MiB: " + bytes);
      this.maxPayload = bytes;
      return this;
    }

    /** When a task counts as enqueued; {@link Durability#PRIMARY} unless set. */
    public Builder durability(Durability durability) {
      this.durability = Objects.requireNonNull(durability, "durability");
      return this;
    }

    /** How many replicas must have a task that is to be REPLICATED; 1 unless set. */
    public Builder replicas(int replicas) {
      require(replicas >= 1, "replicas must be 1 or more: " + replicas);
      this.replicas = replicas;
      return this;
    }

    /** How long to wait until a task is REPLICATED or FSYNCED; 1 s unless set, 1 minute at most. */
    public Builder confirmWithin(Duration confirmWithin) {
      require(
          confirmWithin.toMillis() >= 1 && confirmWithin.compareTo(Duration.ofMinutes(1)) <= 0,
          "confirmWithin must be 1 ms to 1 minute: " + confirmWithin);
      this.confirmWithin = confirmWithin;
      return this;
    }

    /**
     * How many calls of waiting threads may be under way at once; those who come meanwhile share
     * the next one. The further away Redis is, the more of them are used. Half of the connections,
     * and at most 8, unless set.
     */
    public Builder maxCalls(int maxCalls) {
      require(
          maxCalls >= 1 && maxCalls <= redis.maxConnections(),
          "maxCalls must be 1 or more, and not more than the connections there are ("
              + redis.maxConnections()
              + "): "
              + maxCalls);
      this.maxCalls = maxCalls;
      return this;
    }

    /**
     * How many tasks of {@code enqueueAsync} may wait to be sent before it blocks; 10,000 unless
     * set. A task counts once more for each 4 KiB of its payload.
     */
    public Builder maxWaiting(int maxWaiting) {
      require(maxWaiting >= 1, "maxWaiting must be 1 or more: " + maxWaiting);
      this.maxWaiting = maxWaiting;
      return this;
    }

    /**
     * Who completes the stages of {@code enqueueAsync}, and so runs what hangs on them; four
     * threads of the client unless set. What blocks there delays other stages, but no task.
     */
    public Builder callbacks(Executor callbacks) {
      this.callbacks = Objects.requireNonNull(callbacks, "callbacks");
      return this;
    }

    public TaskClient build() {
      return new TaskClient(this);
    }

    private Function<Durability, DurabilityRequirement> confirmations() {
      Map<Durability, DurabilityRequirement> confirmations = new EnumMap<>(Durability.class);
      for (Durability each : Durability.values()) {
        confirmations.put(
            each,
            each == Durability.PRIMARY
                ? DurabilityRequirement.NONE
                : new DurabilityRequirement(each, replicas, confirmWithin));
      }
      return each -> Objects.requireNonNull(confirmations.get(each));
    }

    private static void require(boolean condition, String problem) {
      if (!condition) {
        throw new IllegalArgumentException(problem);
      }
    }
  }
}
