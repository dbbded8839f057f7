package io.asynq4j.testing;

import static java.util.Objects.requireNonNull;

import io.asynq4j.Task;
import io.asynq4j.client.TaskClient;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Handler;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.testing.internal.TestRedis;
import java.time.Clock;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis, a connection to it, and a clock that tests set: the test kit without JUnit.
 * Thread-safe, except for its {@link #tasks}.
 *
 * <pre>{@code
 * try (AsynqTestEnvironment asynq = AsynqTestEnvironment.start()) {
 *   new SignUp(asynq.client()).register("ada@example.com");
 *   asynq.tasks().assertEnqueued(WELCOME_EMAIL).once();
 * }
 * }</pre>
 *
 * <p>Environments that are open at the same time have a Redis process each. A closed one leaves its
 * process to the next, so that starting another takes milliseconds.
 */
public final class AsynqTestEnvironment implements AutoCloseable {

  private final Builder settings;
  private final TestRedis process;
  private final RedisConnection redis;
  private final TaskClient client;
  private final Inspector inspector;
  private final TestQueues tasks;
  private boolean closed;

  private AsynqTestEnvironment(Builder settings) {
    this.settings = settings;
    this.process = TestRedis.acquire();
    this.redis = process.open(settings.codec);
    this.client = TaskClient.create(redis);
    this.inspector = Inspector.create(redis);
    this.tasks = new TestQueues(process, redis, settings.hint);
    begin();
  }

  /** Starts an environment with default settings. */
  public static AsynqTestEnvironment start() {
    return builder().start();
  }

  /** Returns a builder for an environment. */
  public static Builder builder() {
    return new Builder();
  }

  private void begin() {
    tasks.begin(settings.handlers, settings.server);
    if (settings.startsAt != null) {
      tasks.at(settings.startsAt);
    }
  }

  /** Returns the assertions, and what runs handlers and moves the clock. */
  public TestQueues tasks() {
    return tasks;
  }

  /** Returns the connection for the application under test. It is closed with the environment. */
  public RedisConnection redis() {
    return redis;
  }

  /** Returns a client on {@link #redis}. */
  public TaskClient client() {
    return client;
  }

  /** Returns an inspector on {@link #redis}. */
  public Inspector inspector() {
    return inspector;
  }

  /** Returns the clock that {@link TestQueues#advance} moves. */
  public Clock clock() {
    return process.clock();
  }

  /**
   * Returns the URI of Redis, for other programs. Prefer {@link #redis}: connections that are
   * opened by the URI have the real time, and meet no faults.
   */
  public String redisUri() {
    return process.uri();
  }

  /**
   * Prepares for the next test: deletes all data, sets the clock to the present or to the given
   * start, and restores the handlers of the builder. The connection stays open.
   */
  public synchronized void reset() {
    if (closed) {
      throw new IllegalStateException("the environment is closed: start a new one");
    }
    process.reset();
    begin();
  }

  /** Closes the connection, and leaves the Redis process to the next environment. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      tasks.close();
      client.close();
      redis.close();
      process.release();
    }
  }

  /** Configures an {@link AsynqTestEnvironment}. Not thread-safe. */
  public static final class Builder {

    private @Nullable Handler<Task> handlers;
    private Consumer<TaskServerBuilder> server = builder -> {};
    private PayloadCodec codec = PayloadCodec.json();
    private @Nullable Instant startsAt;
    private Supplier<String> hint = () -> "";

    Builder() {}

    /** Sets the handlers that {@link TestQueues#perform} and {@link TestQueues#drain} call. */
    public Builder handlers(Handler<Task> handlers) {
      this.handlers = requireNonNull(handlers, "handlers");
      return this;
    }

    /**
     * Sets how outcomes are applied, as for a server: {@code server(s -> s.retryPolicy(policy))}.
     * Settings of queues, failures, crashes, archives and groups apply; concurrency and intervals
     * do not.
     */
    public Builder server(Consumer<TaskServerBuilder> settings) {
      this.server = requireNonNull(settings, "settings");
      return this;
    }

    /** Sets the codec of the connection. Default: {@link PayloadCodec#json()}. */
    public Builder codec(PayloadCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /** Sets the time at which each test starts. Default: the present, to the second. */
    public Builder startingAt(Instant time) {
      this.startsAt = requireNonNull(time, "time");
      return this;
    }

    /**
     * Adds a sentence to the messages of assertions that miss tasks, such as the state of a
     * transaction. Each assertion asks for it, and it may be empty. Default: none.
     */
    public Builder hint(Supplier<String> sentence) {
      this.hint = requireNonNull(sentence, "sentence");
      return this;
    }

    /**
     * Starts the environment.
     *
     * @throws io.asynq4j.embedded.EmbeddedRedisException if Redis does not start
     */
    public AsynqTestEnvironment start() {
      return new AsynqTestEnvironment(this);
    }
  }
}
