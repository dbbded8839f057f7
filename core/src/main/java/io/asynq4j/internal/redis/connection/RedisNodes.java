package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;

/** The servers behind one configuration, and which of them has what. Thread-safe. */
public interface RedisNodes extends AutoCloseable {

  /**
   * One of the servers, by a name that no other has; opens connections of the caller's own to it.
   */
  record Server(String name, Supplier<DedicatedConnection> opener) {}

  static RedisNodes of(RedisConfig config) {
    return switch (config.kind()) {
      case STANDALONE, SOCKET -> new StandaloneNodes(config);
      case SENTINEL -> new SentinelNodes(config);
      case CLUSTER -> new ClusterNodes(config);
    };
  }

  /** A pooled connection to the server that has this slot; closing it gives it back. */
  Connection connect(int slot);

  /**
   * The same for calls that leases depend on: however many connections others use, there are some
   * left for these.
   */
  default Connection connectReserved(int slot) {
    return connect(slot);
  }

  /** A pooled connection to the server that a redirection names. */
  Connection connectTo(HostAndPort node);

  /** The server that has this slot at this time. */
  Server serverOf(int slot);

  /**
   * A name of the server that has this slot, as far as it is known without asking; empty while it
   * is not, and where one server has all.
   */
  default String shardOf(int slot) {
    return "";
  }

  /** Whether slots are spread over several servers, as far as it is known without asking. */
  default boolean isKnownAsSharded() {
    return false;
  }

  /** Whether slots are spread over several servers, so that not every command may name two. */
  boolean isSharded();

  /** A redirection or a failure has shown that what is known of the servers is out of date. */
  void refresh();

  /** Throws away idle connections: what is known of the servers is wrong. */
  void dropIdle();

  /** The same for the server that has this slot: a connection to it has turned out to be dead. */
  default void dropIdle(int slot) {
    dropIdle();
  }

  @Override
  void close();
}
