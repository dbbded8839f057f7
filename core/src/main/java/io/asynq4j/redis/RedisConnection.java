package io.asynq4j.redis;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.redis.store.BrokerConnection;
import java.time.Clock;
import java.time.Duration;

/**
 * A connection to Redis, shared by everything in a process that works with its tasks: clients,
 * servers, schedulers and inspectors. Thread-safe. It reconnects by itself after an outage, a
 * failover or a resharding. Close it last.
 *
 * <pre>{@code
 * try (RedisConnection redis = RedisConnection.open("redis://localhost:6379")) {
 *   TaskClient.create(redis).enqueue(WELCOME_EMAIL, new WelcomeEmail(42, "en"));
 * }
 * }</pre>
 *
 * <p>Only this library implements it.
 */
public sealed interface RedisConnection extends AutoCloseable permits BrokerConnection {

  /**
   * Connects to a Redis by its URL, such as {@code redis://localhost:6379}, and checks that its
   * version and settings are fit for tasks.
   *
   * @throws io.asynq4j.BrokerException if Redis does not answer or refuses the connection
   */
  static RedisConnection open(String uri) {
    return open(RedisConfig.parse(uri));
  }

  /**
   * Connects, and checks that this Redis is fit for tasks.
   *
   * @throws io.asynq4j.BrokerException if Redis does not answer or refuses the connection
   */
  static RedisConnection open(RedisConfig config) {
    return BrokerConnection.open(config);
  }

  /** Connects to a Redis by its URL when the connection is first used; see {@link #lazy}. */
  static RedisConnection lazy(String uri) {
    return lazy(RedisConfig.parse(uri));
  }

  /**
   * Connects when the connection is first used, so that a process can start while Redis is down.
   */
  static RedisConnection lazy(RedisConfig config) {
    return new BrokerConnection(config);
  }

  /** Sends a PING, follows the clock of Redis, and returns the round-trip time of the PING. */
  Duration ping();

  /** A clock that follows the clock of Redis and never steps back. */
  Clock clock();

  /**
   * The maximum number of calls to a server that can be under way at once. As many connections
   * again may be open to each server: those that are reserved for extending leases and settling
   * tasks.
   */
  int maxConnections();

  /**
   * How inputs and results become bytes, unless a client, a server or a scheduler on this
   * connection says otherwise; see {@link RedisConfig.Builder#codec}.
   */
  PayloadCodec codec();

  /**
   * Closes all connections. Servers and schedulers that still use them are stopped first, as by
   * their own {@code stop()}, and log an error.
   */
  @Override
  void close();
}
