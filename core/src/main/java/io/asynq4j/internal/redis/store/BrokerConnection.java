package io.asynq4j.internal.redis.store;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.clock.BrokerTime;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** The broker on a Redis, and the connections that it uses. Thread-safe. */
public final class BrokerConnection implements RedisConnection {

  private final RedisConfig config;
  private final RedisCommandExecutor link;
  private final BrokerTime time;

  /** Null if the time is given. */
  private final @Nullable RedisClock clock;

  private final RedisBroker broker;
  private final AtomicBoolean clockStarted = new AtomicBoolean();

  /** Connects when it is first used. */
  public BrokerConnection(RedisConfig config) {
    this(config, () -> RedisNodes.of(config), new RedisClock());
  }

  /** Connects with another source of time, or to other servers, for the test kit. */
  public BrokerConnection(RedisConfig config, Supplier<RedisNodes> nodes, BrokerTime time) {
    this.config = config;
    this.time = time;
    this.clock = time instanceof RedisClock ofRedis ? ofRedis : null;
    this.link = new RedisCommandExecutor(config, nodes);
    this.broker = RedisBroker.on(link, time, config.numberedEnqueue());
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
    if (clock != null) {
      follow(clock);
    }
    return roundTrip;
  }

  private void follow(RedisClock clock) {
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
    return time.clock();
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
