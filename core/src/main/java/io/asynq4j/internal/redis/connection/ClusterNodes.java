package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.Pool;

/** The primaries of a cluster with their slots. Jedis finds the slots; calls use pools of ours. */
final class ClusterNodes implements RedisNodes {

  private final JedisClientConfig client;
  private final RedisConfig config;
  private final ClusterConnectionProvider provider;
  private final Map<HostAndPort, RedisServer> servers = new ConcurrentHashMap<>();

  ClusterNodes(RedisConfig config) {
    this.config = config;
    this.client = JedisConfigFactory.forData(config);
    this.provider =
        new ClusterConnectionProvider(
            JedisConfigFactory.hostsAndPorts(config), client, JedisConfigFactory.forPool(config));
  }

  @Override
  public Connection connect(int slot, PoolKind kind) {
    HostAndPort node = provider.getNode(slot);
    if (node == null) {
      provider.renewSlotCache();
      node = provider.getNode(slot);
    }
    // Of an unknown slot, any node knows why it is.
    return node == null ? provider.getConnectionFromSlot(slot) : server(node).connect(kind);
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return server(node).connect(PoolKind.SHARED);
  }

  private RedisServer server(HostAndPort node) {
    return servers.computeIfAbsent(
        node, address -> RedisServer.at(address, address.toString(), client, config));
  }

  @Override
  public RedisServer serverOf(int slot) {
    HostAndPort node = provider.getNode(slot);
    if (node == null) {
      throw new JedisClusterOperationException("no node has slot " + slot);
    }
    return server(node);
  }

  @Override
  public String shardOf(int slot) {
    HostAndPort node = provider.getNode(slot);
    return node == null ? "" : node.toString();
  }

  @Override
  public void refresh() {
    try {
      provider.renewSlotCache();
    } catch (JedisException e) {
      // The next attempt to connect queries the cluster again and reports the failure.
      provider.getConnectionMap().values().forEach(Pool::clear);
      servers.values().forEach(RedisServer::dropIdle);
      return;
    }
    servers.forEach(
        (node, server) -> {
          if (!provider.getNodes().containsKey(node.toString()) && servers.remove(node, server)) {
            server.close();
          }
        });
  }

  @Override
  public void dropIdle(int slot) {
    HostAndPort node = provider.getNode(slot);
    RedisServer server = node == null ? null : servers.get(node);
    if (server != null) {
      server.dropIdle();
    }
  }

  @Override
  public void close() {
    provider.close();
    servers.values().forEach(RedisServer::close);
  }
}
