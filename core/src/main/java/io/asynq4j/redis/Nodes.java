package io.asynq4j.redis;

import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** The servers behind one configuration, and which of them has what. Thread-safe. */
interface Nodes extends AutoCloseable {

  static Nodes of(RedisConfig config) {
    return switch (config.kind()) {
      case STANDALONE, SOCKET -> new StandaloneNodes(config);
      case SENTINEL -> new SentinelNodes(config);
      case CLUSTER -> new ClusterNodes(config);
    };
  }

  /** A pooled connection to the server that has this slot; closing it gives it back. */
  Connection connect(int slot);

  /** A pooled connection to the server that a redirection names. */
  Connection connectTo(HostAndPort node);

  /** A connection of the caller's own, for subscriptions. */
  Connection open(int slot);

  /** A redirection or a failure has shown that what is known of the servers is out of date. */
  void refresh();

  /** Throws away idle connections: one of them has turned out to be dead. */
  void dropIdle();

  @Override
  void close();
}
