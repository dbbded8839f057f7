package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** The servers of one configuration and the assignment of slots to them. Thread-safe. */
public interface RedisNodes extends AutoCloseable {

  /** One server, by a unique name; opens dedicated connections to it. */
  record Server(String name, Supplier<DedicatedConnection> opener) {}

  static RedisNodes of(RedisConfig config) {
    return switch (config.kind()) {
      case STANDALONE, SOCKET -> new StandaloneNodes(config);
      case SENTINEL -> new SentinelNodes(config);
      case CLUSTER -> new ClusterNodes(config);
    };
  }

  /**
   * Returns a pooled connection to the server that has this slot; closing it returns it to the
   * pool.
   */
  Connection connect(int slot);

  /**
   * Variant for calls that leases depend on: some connections are reserved for them, regardless of
   * other use.
   */
  default Connection connectReserved(int slot) {
    return connect(slot);
  }

  /** Returns a pooled connection to the target of a redirect. */
  Connection connectTo(HostAndPort node);

  /** Returns the server that has this slot now. */
  Server serverOf(int slot);

  /**
   * Returns a name of the server that has this slot, from cached data only; empty if it is unknown,
   * and if one server has all slots.
   */
  default String shardOf(int slot) {
    return "";
  }

  /** Returns whether slots are distributed over several servers, from cached data only. */
  default boolean isKnownAsSharded() {
    return false;
  }

  /**
   * Returns whether slots are distributed over several servers, so that a command may not always
   * name two keys.
   */
  boolean isSharded();

  /**
   * Refreshes the cached server data after a redirect or a failure has shown that it is outdated.
   */
  void refresh();

  /** Closes idle connections, because the cached server data is wrong. */
  void dropIdle();

  /**
   * Closes idle connections to the server that has this slot, because a connection to it was dead.
   */
  default void dropIdle(int slot) {
    dropIdle();
  }

  @Override
  void close();
}
