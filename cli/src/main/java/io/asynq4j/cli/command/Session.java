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

/** What a command works with: a Redis that answers, and the places to show things. */
public final class Session implements AutoCloseable {

  private final RedisConnection redis;
  private final Printer printer;
  private final CliEnvironment surroundings;
  private @Nullable TaskClient client;

  private Session(RedisConnection redis, Printer printer, CliEnvironment surroundings) {
    this.redis = redis;
    this.printer = printer;
    this.surroundings = surroundings;
  }

  static Session open(GlobalOptions options) {
    Printer printer = options.printer();
    return new Session(connect(options.connection()), printer, options.surroundings());
  }

  /** Connects, or fails as one that cannot. */
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

  /** Fails as one that cannot connect, when it cannot. */
  public static void requireAnswer(RedisConnection redis) {
    try {
      redis.ping();
    } catch (BrokerException e) {
      throw CliException.cannotConnect(
          String.valueOf(e.getMessage()),
          "start one with 'asynq dev', or say where it is: --redis URL, the variable"
              + " ASYNQ_REDIS_URL, or 'asynq context set NAME --redis URL'");
    }
  }

  public RedisConnection redis() {
    return redis;
  }

  public Inspector inspector() {
    return Inspector.create(redis);
  }

  /** Ends with the session. */
  public TaskClient client() {
    if (client == null) {
      client = TaskClient.builder(redis).maxPayload(64 << 20).build();
    }
    return client;
  }

  public Printer printer() {
    return printer;
  }

  public CliEnvironment surroundings() {
    return surroundings;
  }

  /** Shown only where a person sees it. */
  public ProgressBar progress() {
    return new ProgressBar(surroundings.err(), surroundings.progress());
  }

  /** A word beside the output. */
  public void note(String text) {
    surroundings.err().println(text);
  }

  /** By the clock of Redis. */
  public Instant now() {
    return redis.clock().instant();
  }

  /** The same Redis, shown elsewhere. */
  Session showingAt(PrintStream out) {
    return new Session(redis, printer.to(out), surroundings);
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
    redis.close();
  }
}
