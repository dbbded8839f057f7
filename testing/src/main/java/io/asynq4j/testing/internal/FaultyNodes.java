package io.asynq4j.testing.internal;

import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.connection.RedisServer;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.testing.Fault;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * The Redis of the application under test: unreachable, or behind a proxy that loses a reply, as
 * long as a test has requested that. Thread-safe.
 */
final class FaultyNodes implements RedisNodes {

  private final RedisNodes direct;
  private final RedisConfig config;
  private final Faults faults;

  FaultyNodes(RedisConfig config, Faults faults) {
    this.direct = RedisNodes.of(config);
    this.config = config;
    this.faults = faults;
  }

  @Override
  public Connection connect(int slot, PoolKind kind) {
    if (faults.take(Fault.REDIS_DOWN)) {
      throw new JedisConnectionException("failNext(REDIS_DOWN): Redis is unreachable");
    }
    return faults.isPending(Fault.REPLY_LOST)
        ? LossyProxy.connect(config, faults)
        : direct.connect(slot, kind);
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    return direct.connectTo(node);
  }

  @Override
  public RedisServer serverOf(int slot) {
    return direct.serverOf(slot);
  }

  @Override
  public void close() {
    direct.close();
  }
}
