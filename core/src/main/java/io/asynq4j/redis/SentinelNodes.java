package io.asynq4j.redis;

import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/** The primary that the sentinels name, whichever it is at the time. */
final class SentinelNodes implements Nodes {

  private final JedisClientConfig client;
  private final SentineledConnectionProvider provider;

  SentinelNodes(RedisConfig config) {
    this.client = JedisConfigs.forData(config);
    this.provider =
        new SentineledConnectionProvider(
            config.masterName().orElseThrow(),
            client,
            JedisConfigs.forPool(config),
            JedisConfigs.hostsAndPorts(config),
            JedisConfigs.forSentinels(config));
  }

  @Override
  public Connection connect(int slot) {
    return provider.getConnection();
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    throw new JedisDataException("that " + node + " has it, which no primary behind sentinels may");
  }

  @Override
  public Connection open(int slot) {
    return new Connection(provider.getCurrentMaster(), client);
  }

  // The sentinels tell of a new primary by themselves.
  @Override
  public void refresh() {}

  @Override
  public void dropIdle() {
    provider.getConnectionMap().values().forEach(Pool::clear);
  }

  @Override
  public void close() {
    provider.close();
  }
}
