package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.Pool;

/** The primaries of a cluster with their slots. */
final class ClusterNodes implements RedisNodes {

  private final JedisClientConfig client;
  private final RedisConfig config;
  private final ClusterConnectionProvider provider;
  private final Map<HostAndPort, ConnectionPool> reserved = new ConcurrentHashMap<>();

  ClusterNodes(RedisConfig config) {
    this.config = config;
    this.client = JedisConfigFactory.forData(config);
    this.provider =
        new ClusterConnectionProvider(
            JedisConfigFactory.hostsAndPorts(config), client, JedisConfigFactory.forPool(config));
  }

  @Override
  public Connection connect(int slot) {
    HostAndPort node = provider.getNode(slot);
    try {
      return provider.getConnectionFromSlot(slot);
    } catch (JedisException e) {
      // The pool was closed, which interrupts the threads that wait for it.
      if (CauseFinder.find(InterruptedException.class, e) != null
          && node != null
          && !provider.getConnectionMap().containsKey(node.toString())) {
        throw PooledConnection.closedMeanwhile();
      }
      throw e;
    }
  }

  @Override
  public Connection connectReserved(int slot) {
    HostAndPort node = provider.getNode(slot);
    if (node == null) {
      // Resolves the node of the slot.
      return connect(slot);
    }
    return PooledConnection.from(reserved.computeIfAbsent(node, this::pool));
  }

  private ConnectionPool pool(HostAndPort node) {
    return new ConnectionPool(
        new ConnectionFactory(node, client), JedisConfigFactory.forPool(config));
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return provider.getConnection(node);
  }

  @Override
  public Server serverOf(int slot) {
    HostAndPort node = provider.getNode(slot);
    if (node == null) {
      throw new JedisClusterOperationException("no node has slot " + slot);
    }
    return new Server(
        node.toString(),
        () -> new DedicatedConnection(new DefaultJedisSocketFactory(node, client), client));
  }

  @Override
  public String shardOf(int slot) {
    HostAndPort node = provider.getNode(slot);
    return node == null ? "" : node.toString();
  }

  @Override
  public boolean isKnownAsSharded() {
    return true;
  }

  @Override
  public boolean isSharded() {
    return true;
  }

  @Override
  public void refresh() {
    provider.renewSlotCache();
    reserved.keySet().stream()
        .filter(node -> !provider.getNodes().containsKey(node.toString()))
        .forEach(this::close);
  }

  private void close(HostAndPort gone) {
    ConnectionPool pool = reserved.remove(gone);
    if (pool != null) {
      pool.close();
    }
  }

  @Override
  public void dropIdle() {
    provider.getConnectionMap().values().forEach(Pool::clear);
    reserved.values().forEach(Pool::clear);
  }

  @Override
  public void dropIdle(int slot) {
    HostAndPort node = provider.getNode(slot);
    Pool<?> pool = node == null ? null : provider.getConnectionMap().get(node.toString());
    if (pool != null) {
      pool.clear();
    }
    ConnectionPool reservedPool = node == null ? null : reserved.get(node);
    if (reservedPool != null) {
      reservedPool.clear();
    }
  }

  @Override
  public void close() {
    provider.close();
    reserved.values().forEach(Pool::close);
  }
}
