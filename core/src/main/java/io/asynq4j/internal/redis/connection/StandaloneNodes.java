package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisDataException;

/** One server, over TCP or a Unix socket. */
final class StandaloneNodes implements RedisNodes {

  private final JedisSocketFactory sockets;
  private final JedisClientConfig client;
  private final ConnectionPool pool;
  private final ConnectionPool reserved;

  StandaloneNodes(RedisConfig config) {
    this.client = JedisConfigFactory.forData(config);
    JedisSocketFactory pooled;
    if (config.socketPath().isPresent()) {
      this.sockets = new UnixSocketFactory(config.socketPath().get(), client);
      pooled = sockets;
    } else {
      HostAndPort address = JedisConfigFactory.hostsAndPorts(config).iterator().next();
      this.sockets = new DefaultJedisSocketFactory(address, client);
      pooled = BusyPollSocketFactory.to(address, client);
    }
    ConnectionFactory connections = new ConnectionFactory(pooled, client);
    this.pool = new ConnectionPool(connections, JedisConfigFactory.forPool(config));
    this.reserved = new ConnectionPool(connections, JedisConfigFactory.forPool(config));
  }

  @Override
  public Connection connect(int slot) {
    return PooledConnection.from(pool);
  }

  @Override
  public Connection connectReserved(int slot) {
    return PooledConnection.from(reserved);
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    throw new JedisDataException(
        "that " + node + " has it; this is a cluster: use redis-cluster:// instead of redis://");
  }

  @Override
  public Server serverOf(int slot) {
    return new Server("redis", () -> new DedicatedConnection(sockets, client));
  }

  @Override
  public boolean isSharded() {
    return false;
  }

  @Override
  public void refresh() {}

  @Override
  public void dropIdle() {
    pool.clear();
    reserved.clear();
  }

  @Override
  public void close() {
    pool.close();
    reserved.close();
  }
}
