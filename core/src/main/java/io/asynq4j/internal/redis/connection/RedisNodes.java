package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** The servers of one configuration and the assignment of slots to them. Thread-safe. */
public interface RedisNodes extends AutoCloseable {

  /** The connections that a call may use. */
  enum PoolKind {
    SHARED,
    /** Connections reserved for calls that leases depend on, regardless of other use. */
    RESERVED
  }

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
  default Connection connect(int slot, PoolKind kind) {
    return serverOf(slot).connect(kind);
  }

  /** Returns a pooled connection to the target of a redirect. */
  Connection connectTo(HostAndPort node);

  /** Returns the server that has this slot now. */
  RedisServer serverOf(int slot);

  /**
   * Returns a name of the server that has this slot, from cached data only; empty if it is unknown,
   * and if one server has all slots.
   */
  default String shardOf(int slot) {
    return "";
  }

  /**
   * Refreshes the cached server data after a redirect or a failure has shown that it is outdated.
   * Closes idle connections if this is not possible now.
   */
  default void refresh() {}

  /**
   * Closes idle connections to the server that has this slot, because a connection to it was dead.
   */
  default void dropIdle(int slot) {
    serverOf(slot).dropIdle();
  }

  @Override
  void close();
}
