package io.asynq4j.internal.redis.store;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.clock.RedisClock;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.redis.connection.RedisSetupCheck;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** The broker on a Redis, and the connections that it uses. Thread-safe. */
public final class BrokerConnection implements RedisConnection {

  private final RedisConfig config;
  private final RedisCommandExecutor link;
  private final RedisClock clock = new RedisClock();
  private final RedisBroker broker;
  private final AtomicBoolean clockStarted = new AtomicBoolean();

  /** Connects when it is first used. */
  public BrokerConnection(RedisConfig config) {
    this.config = config;
    this.link = new RedisCommandExecutor(config, () -> RedisNodes.of(config));
    this.broker = RedisBroker.on(link, clock, config.numberedEnqueue());
  }

  public static BrokerConnection open(RedisConfig config) {
    BrokerConnection connection = new BrokerConnection(config);
    try {
      connection.ping();
      new RedisSetupCheck(connection.link).run();
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The broker behind a connection: the one way from the public type to the internal one. */
  public static Broker brokerOf(RedisConnection redis) {
    return ((BrokerConnection) redis).broker;
  }

  @Override
  public Duration ping() {
    long sent = System.nanoTime();
    link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs());
    Duration roundTrip = Duration.ofNanos(System.nanoTime() - sent);
    followClock();
    return roundTrip;
  }

  private void followClock() {
    long sent = System.nanoTime();
    List<@Nullable Object> time =
        ReplyParser.list(link.call(0, ResendPolicy.SAFE, Command.TIME, new CommandArgs()));
    long answered = System.nanoTime();
    Instant redis =
        Instant.ofEpochSecond(
            ReplyParser.number(time.get(0)), ReplyParser.number(time.get(1)) * 1000);
    clock.look(link.shardOf(0), redis, sent, answered);
    if (clockStarted.compareAndSet(false, true)) {
      clock.start(redis, sent, answered);
    } else {
      clock.follow(redis, sent, answered);
    }
  }

  @Override
  public Clock clock() {
    return clock.clock();
  }

  @Override
  public int maxConnections() {
    return config.maxConnections();
  }

  @Override
  public PayloadCodec codec() {
    return config.codec();
  }

  @Override
  public void close() {
    broker.closeActions().run();
    link.close();
  }
}
