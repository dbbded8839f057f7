package io.asynq4j.redis;

import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.embedded.RedisBinary;
import java.util.List;
import java.util.Locale;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** A real Redis of some kind, for tests. */
interface TestRedis extends AutoCloseable {

  RedisConfig config();

  /** The servers that hold data. */
  List<EmbeddedRedis> primaries();

  @Override
  void close();

  default void flush() {
    for (EmbeddedRedis primary : primaries()) {
      try (Connection connection = connect(primary)) {
        connection.executeCommand(Command.FLUSHALL);
      }
    }
  }

  static Connection connect(EmbeddedRedis redis) {
    return new Connection(new HostAndPort(redis.host(), redis.port()));
  }

  static TestRedis standalone() {
    return standalone(RedisBinary.bundled());
  }

  static TestRedis standalone(RedisBinary binary) {
    EmbeddedRedis redis = EmbeddedRedis.builder().binary(binary).start();
    return new TestRedis() {
      @Override
      public RedisConfig config() {
        return RedisConfig.parse(redis.uri());
      }

      @Override
      public List<EmbeddedRedis> primaries() {
        return List.of(redis);
      }

      @Override
      public void close() {
        redis.close();
      }
    };
  }

  static TestRedis sentinel() {
    EmbeddedSentinel sentinel = EmbeddedSentinel.start();
    return new TestRedis() {
      @Override
      public RedisConfig config() {
        return RedisConfig.parse(sentinel.uri());
      }

      @Override
      public List<EmbeddedRedis> primaries() {
        return List.of(sentinel.primary());
      }

      @Override
      public void close() {
        sentinel.close();
      }
    };
  }

  static TestRedis cluster() {
    EmbeddedCluster cluster = EmbeddedCluster.start();
    return new TestRedis() {
      @Override
      public RedisConfig config() {
        return RedisConfig.parse(cluster.uri());
      }

      @Override
      public List<EmbeddedRedis> primaries() {
        return cluster.nodes();
      }

      @Override
      public void close() {
        cluster.close();
      }
    };
  }

  /** The oldest Redis that is supported, from the artefact that carries one for this platform. */
  static RedisBinary redis62() {
    boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
    boolean arm = System.getProperty("os.arch").equals("aarch64");
    if (mac) {
      return RedisBinary.fromClasspath(
          "/redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64"));
    }
    return RedisBinary.fromClasspath(
        arm ? "/redis-server-6.2.7-linux-arm64" : "/redis-server-6.2.6-v5-linux-amd64");
  }
}
