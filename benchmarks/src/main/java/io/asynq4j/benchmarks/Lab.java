package io.asynq4j.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.redis.RedisConnection;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

/** The Redis under measurement, with a connection of the library's and one to look at it with. */
final class Lab implements AutoCloseable {

  private final @Nullable EmbeddedRedis embedded;
  private final RedisConnection connection;
  private final Jedis admin;
  private final OperatingSystemMXBean jvm =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private int queues;

  private Lab(@Nullable EmbeddedRedis embedded, String uri) {
    this.embedded = embedded;
    this.admin =
        new Jedis(
            URI.create(uri),
            DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP2)
                .timeoutMillis(60_000)
                .build());
    this.connection = RedisConnection.open(uri);
  }

  static Lab open(@Nullable String uri) {
    if (uri == null) {
      EmbeddedRedis.Builder redis = EmbeddedRedis.builder().ephemeral();
      RedisBinary.onPath("redis-server").ifPresent(redis::binary);
      EmbeddedRedis started = redis.start();
      return new Lab(started, started.uri());
    }
    Lab lab = new Lab(null, uri);
    if (lab.admin.dbSize() > 0) {
      lab.close();
      throw new IllegalArgumentException(
          "the Redis to measure must be empty, since it is emptied afterwards: " + uri);
    }
    return lab;
  }

  Broker broker() {
    return connection.broker();
  }

  Jedis admin() {
    return admin;
  }

  /** A queue that nothing knows of yet. */
  QueueName newQueue() {
    return QueueName.of("bench" + ++queues);
  }

  void clear() {
    admin.flushDB();
  }

  Usage usage() {
    Map<String, String> cpu = info("cpu");
    String scripts = info("commandstats").get("cmdstat_evalsha");
    return new Usage(
        System.nanoTime(),
        micros(cpu, "used_cpu_user") + micros(cpu, "used_cpu_sys"),
        jvm.getProcessCpuTime() / 1_000,
        scripts == null ? 0 : stat(scripts, "calls"),
        scripts == null ? 0 : stat(scripts, "usec"));
  }

  private static long micros(Map<String, String> info, String field) {
    return Math.round(Double.parseDouble(info.getOrDefault(field, "0")) * 1e6);
  }

  private static long stat(String stats, String name) {
    for (String pair : stats.split(",", -1)) {
      if (pair.startsWith(name + "=")) {
        return Long.parseLong(pair.substring(name.length() + 1));
      }
    }
    throw new IllegalStateException("INFO commandstats has no " + name + ": " + stats);
  }

  Map<String, String> info(String section) {
    return admin
        .info(section)
        .lines()
        .filter(line -> line.indexOf(':') > 0)
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.indexOf(':')),
                line -> line.substring(line.indexOf(':') + 1).strip()));
  }

  @Override
  public void close() {
    connection.close();
    admin.close();
    if (embedded != null) {
      embedded.close();
    }
  }
}
