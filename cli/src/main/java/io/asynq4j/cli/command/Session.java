package io.asynq4j.cli.command;

import io.asynq4j.BrokerException;
import io.asynq4j.cli.output.Printer;
import io.asynq4j.cli.output.ProgressBar;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.PrintStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Connection to Redis and output of a running command. */
public final class Session implements AutoCloseable {

  private final RedisConnection redis;
  private final Printer printer;
  private final CliEnvironment environment;
  private @Nullable TaskClient client;

  private Session(RedisConnection redis, Printer printer, CliEnvironment environment) {
    this.redis = redis;
    this.printer = printer;
    this.environment = environment;
  }

  static Session open(GlobalOptions options) {
    Printer printer = options.printer();
    return new Session(connect(options.connection()), printer, options.environment());
  }

  /** Connects to Redis, or fails with exit code 4. */
  public static RedisConnection connect(RedisConfig config) {
    RedisConnection redis = RedisConnection.lazy(config);
    try {
      requireAnswer(redis);
      return redis;
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  /** Fails with exit code 4 if Redis does not respond. */
  public static void requireAnswer(RedisConnection redis) {
    try {
      redis.ping();
    } catch (BrokerException e) {
      throw CliException.cannotConnect(
          String.valueOf(e.getMessage()),
          "Check the address: it is set by --redis URL, the environment variable ASYNQ_REDIS_URL or"
              + " 'asynq context set NAME --redis URL'. Run 'asynq dev' to start a local Redis.");
    }
  }

  public RedisConnection redis() {
    return redis;
  }

  public Inspector inspector() {
    return Inspector.create(redis);
  }

  /** Closed together with the session. */
  public TaskClient client() {
    if (client == null) {
      client = TaskClient.builder(redis).maxPayload(64 << 20).build();
    }
    return client;
  }

  public Printer printer() {
    return printer;
  }

  public CliEnvironment environment() {
    return environment;
  }

  /** Progress bar on the error output; prints nothing if that is not a terminal. */
  public ProgressBar progress() {
    return new ProgressBar(environment.err(), environment.progress());
  }

  /** Prints a line to the error output. */
  public void note(String text) {
    environment.err().println(text);
  }

  /** Current time of the Redis server. */
  public Instant now() {
    return redis.clock().instant();
  }

  /** Same connection with another printer. */
  Session showingAt(PrintStream out) {
    return new Session(redis, printer.to(out), environment);
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
    redis.close();
  }
}
