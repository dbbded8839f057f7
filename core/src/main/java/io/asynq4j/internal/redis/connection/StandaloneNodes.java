package io.asynq4j.internal.redis.connection;

import io.asynq4j.redis.RedisConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisDataException;

/** One server, over TCP or a Unix socket. */
final class StandaloneNodes implements RedisNodes {

  /** Independent of the address, since positions of a scan contain it. */
  private static final String NAME = "redis";

  private final RedisServer server;

  StandaloneNodes(RedisConfig config) {
    JedisClientConfig client = JedisConfigFactory.forData(config);
    if (config.socketPath().isPresent()) {
      JedisSocketFactory sockets = new UnixSocketFactory(config.socketPath().get(), client);
      this.server = new RedisServer(NAME, sockets, sockets, client, config);
    } else {
      HostAndPort address = JedisConfigFactory.hostsAndPorts(config).iterator().next();
      this.server = RedisServer.at(address, NAME, client, config);
    }
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    throw new JedisDataException(
        "that " + node + " has it; this is a cluster: use redis-cluster:// instead of redis://");
  }

  @Override
  public RedisServer serverOf(int slot) {
    return server;
  }

  @Override
  public void close() {
    server.close();
  }
}
