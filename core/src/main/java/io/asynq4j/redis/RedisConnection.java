package io.asynq4j.redis;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.redis.store.BrokerConnection;
import java.time.Clock;
import java.time.Duration;

/**
 * A connection to Redis, shared by the clients, servers, schedulers and inspectors of a process.
 * Thread-safe. It reconnects by itself after an outage, a failover or a resharding. Close it last.
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
   * Connects to the Redis at a URL, such as {@code redis://localhost:6379}, and checks that its
   * version and settings are suitable for tasks.
   *
   * @throws io.asynq4j.BrokerException if Redis does not respond or refuses the connection
   */
  static RedisConnection open(String uri) {
    return open(RedisConfig.parse(uri));
  }

  /**
   * Connects, and checks that the version and settings of this Redis are suitable for tasks.
   *
   * @throws io.asynq4j.BrokerException if Redis does not respond or refuses the connection
   */
  static RedisConnection open(RedisConfig config) {
    return BrokerConnection.open(config);
  }

  /** Connects to the Redis at a URL when the connection is first used; see {@link #lazy}. */
  static RedisConnection lazy(String uri) {
    return lazy(RedisConfig.parse(uri));
  }

  /**
   * Connects when the connection is first used, so that a process can start while Redis is down.
   */
  static RedisConnection lazy(RedisConfig config) {
    return new BrokerConnection(config);
  }

  /** Sends a PING, synchronizes {@link #clock} with Redis, and returns the round-trip time. */
  Duration ping();

  /** A clock that follows the clock of Redis and never steps back. */
  Clock clock();

  /**
   * Maximum number of concurrent calls to a server. As many connections again may be open to each
   * server, reserved for extending leases and settling tasks.
   */
  int maxConnections();

  /**
   * Encoding of inputs and results, unless a client, server, scheduler or leases on this connection
   * set their own; see {@link RedisConfig.Builder#codec}.
   */
  PayloadCodec codec();

  /**
   * Closes all connections. Servers and schedulers that still use them are stopped first, as by
   * their own {@code stop()}, and log an error.
   */
  @Override
  void close();
}
