package io.asynq4j.redis;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.clock.RedisClock;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.ConnectionFailureAnalyzer;
import io.asynq4j.internal.redis.connection.LazyNodes;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.connection.RedisSetupCheck;
import io.asynq4j.internal.redis.store.RedisBroker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * A connection to Redis, shared by everything in a process that works with its tasks. Thread-safe;
 * connects again by itself after an outage, a failover or a resharding. Close it last.
 */
public final class RedisConnection implements AutoCloseable {

  private final int maxConnections;
  private final RedisCommandExecutor link;
  private final RedisClock clock = new RedisClock();
  private final RedisBroker broker;
  private final AtomicBoolean clockStarted = new AtomicBoolean();

  private RedisConnection(RedisConfig config) {
    this.maxConnections = config.maxConnections();
    this.link =
        new RedisCommandExecutor(
            new LazyNodes(() -> RedisNodes.of(config)),
            config.retryFor(),
            where(config),
            ConnectionFailureAnalyzer.of(config));
    this.broker = new RedisBroker(link, clock, config.numberedEnqueue());
  }

  /**
   * Connects to a Redis by its URL, such as {@code redis://localhost:6379}, and looks whether it is
   * fit for tasks.
   */
  public static RedisConnection open(String uri) {
    return open(RedisConfig.parse(uri));
  }

  /** Connects, and looks whether this Redis is fit for tasks. */
  public static RedisConnection open(RedisConfig config) {
    RedisConnection connection = lazy(config);
    try {
      connection.ping();
      new RedisSetupCheck(connection.link).run();
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Connects when it is first used, so that a process can start while Redis is down. */
  public static RedisConnection lazy(RedisConfig config) {
    return new RedisConnection(config);
  }

  private static String where(RedisConfig config) {
    return config
        .socketPath()
        .map(Object::toString)
        .orElseGet(
            () ->
                config.endpoints().stream()
                    .map(RedisConfig.Endpoint::toString)
                    .collect(Collectors.joining(",")));
  }

  /** Asks whether Redis is there, and follows its clock. Returns how long the answer took. */
  public Duration ping() {
    long sent = System.nanoTime();
    link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
    Duration roundTrip = Duration.ofNanos(System.nanoTime() - sent);
    followClock();
    return roundTrip;
  }

  private void followClock() {
    long sent = System.nanoTime();
    List<@Nullable Object> time =
        ReplyParser.list(link.call(0, ResendPolicy.SAFE, Command.TIME, new CommandArgs()));
    long answered = System.nanoTime();
    Instant redis =
        Instant.ofEpochSecond(
            ReplyParser.number(time.get(0)), ReplyParser.number(time.get(1)) * 1000);
    clock.look(link.shardOf(0), redis, sent, answered);
    if (clockStarted.compareAndSet(false, true)) {
      clock.start(redis, sent, answered);
    } else {
      clock.follow(redis, sent, answered);
    }
  }

  /** A clock that follows Redis's and never steps back. */
  public Clock clock() {
    return clock;
  }

  /**
   * How many calls to a server can be under way at once. As many connections again may be open to
   * each server: those that are reserved for extending leases and settling tasks.
   */
  public int maxConnections() {
    return maxConnections;
  }

  /** For the packages of this library: what is done to tasks over this connection. */
  public Broker broker() {
    return broker;
  }

  /**
   * Closes all connections. Servers and schedulers that still use them are stopped first, as by
   * their own {@code stop()}, and log an error.
   */
  @Override
  public void close() {
    broker.closing();
    link.close();
  }
}
