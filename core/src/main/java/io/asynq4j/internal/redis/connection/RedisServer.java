package io.asynq4j.internal.redis.connection;

import io.asynq4j.internal.redis.connection.RedisNodes.PoolKind;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConfig.Kind;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** One server with its pools of connections. Connects when a connection is needed. Thread-safe. */
public final class RedisServer {

  private final String name;
  private final JedisSocketFactory sockets;
  private final JedisClientConfig client;
  private final ConnectionPool shared;
  private final ConnectionPool reserved;

  /**
   * @param name unique among the servers of the configuration
   * @param sockets for dedicated connections
   * @param pooledSockets for the connections of the pools
   */
  RedisServer(
      String name,
      JedisSocketFactory sockets,
      JedisSocketFactory pooledSockets,
      JedisClientConfig client,
      RedisConfig config) {
    this.name = name;
    this.sockets = sockets;
    this.client = client;
    ConnectionFactory pooled = new ConnectionFactory(pooledSockets, client);
    this.shared = new ConnectionPool(pooled, JedisConfigFactory.forPool(config));
    this.reserved = new ConnectionPool(pooled, JedisConfigFactory.forPool(config));
  }

  /**
   * Returns a server that is reached over TCP. The name is unique among those of the configuration.
   */
  static RedisServer at(
      HostAndPort address, String name, JedisClientConfig client, RedisConfig config) {
    JedisSocketFactory sockets = new DefaultJedisSocketFactory(address, client);
    // The limit of polling threads is per server, so the nodes of a cluster do not poll.
    JedisSocketFactory pooledSockets =
        config.kind() == Kind.CLUSTER ? sockets : BusyPollSocketFactory.to(address, client);
    return new RedisServer(name, sockets, pooledSockets, client, config);
  }

  public String name() {
    return name;
  }

  /**
   * Waits for a connection of a pool. A pool that is closed meanwhile interrupts its waiting
   * threads. This method reports that as a connection failure and clears the interrupt, which no
   * caller has requested.
   */
  Connection connect(PoolKind kind) {
    ConnectionPool pool = kind == PoolKind.RESERVED ? reserved : shared;
    try {
      return pool.getResource();
    } catch (JedisException e) {
      if (pool.isClosed() && CauseFinder.find(InterruptedException.class, e) != null) {
        throw new JedisConnectionException("the connection pool was closed while waiting");
      }
      throw e;
    }
  }

  /** Opens a connection outside of the pools. */
  DedicatedConnection open() {
    return new DedicatedConnection(sockets, client);
  }

  /** Closes the idle connections of the pools. */
  void dropIdle() {
    shared.clear();
    reserved.clear();
  }

  /** Closes the pools. */
  void close() {
    shared.close();
    reserved.close();
  }
}
