package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.PayloadCodec;
import io.asynq4j.TaskInfo;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Puts tasks into queues. Thread-safe: one client serves a whole process.
 *
 * <p>A client uses a connection and does not close it; closing the client ends only its own
 * threads, after what was handed to them is enqueued.
 */
@SuppressWarnings({"UnusedVariable", "DoNotCallSuggester"})
public final class TaskClient implements Enqueuer, AutoCloseable {

  private TaskClient(Builder builder) {}

  public static TaskClient create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(redis);
  }

  @Override
  public EnqueueResult enqueue(EnqueueRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<EnqueueResult> enqueueAsync(EnqueueRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<EnqueueResult> enqueueAll(List<EnqueueRequest> requests) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Enqueuer within(Duration limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Enqueuer durably(Durability durability) {
    throw new UnsupportedOperationException();
  }

  /**
   * Waits until a task has ended: completed, with its result, or archived. Empty when it has not
   * within this time.
   *
   * <p>Throws {@link io.asynq4j.TaskNotFoundException} when there is no such task, which is also
   * what becomes of one that succeeds without {@code retention}.
   */
  public Optional<TaskInfo> awaitResult(String queue, String id, Duration timeout) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}

  /** Collects settings; not thread-safe. */
  public static final class Builder {

    private final RedisConnection redis;

    private Builder(RedisConnection redis) {
      this.redis = redis;
    }

    /** How inputs become bytes; JSON unless set. */
    public Builder codec(PayloadCodec codec) {
      return this;
    }

    /** The largest payload in bytes; 1 MiB unless set. */
    public Builder maxPayload(int bytes) {
      return this;
    }

    /** When a task counts as enqueued; {@link Durability#PRIMARY} unless set. */
    public Builder durability(Durability durability) {
      return this;
    }

    public TaskClient build() {
      return new TaskClient(this);
    }
  }
}
