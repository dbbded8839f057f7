package io.asynq4j.redis;

import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.Pool;

/** The primaries of a cluster, each with its slots. */
final class ClusterNodes implements Nodes {

  private final JedisClientConfig client;
  private final ClusterConnectionProvider provider;

  ClusterNodes(RedisConfig config) {
    this.client = JedisConfigs.forData(config);
    this.provider =
        new ClusterConnectionProvider(
            JedisConfigs.hostsAndPorts(config), client, JedisConfigs.forPool(config));
  }

  @Override
  public Connection connect(int slot) {
    return provider.getConnectionFromSlot(slot);
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
    return new Server(node.toString(), () -> new Connection(node, client));
  }

  @Override
  public boolean isSharded() {
    return true;
  }

  @Override
  public void refresh() {
    provider.renewSlotCache();
  }

  @Override
  public void dropIdle() {
    provider.getConnectionMap().values().forEach(Pool::clear);
  }

  @Override
  public void close() {
    provider.close();
  }
}
