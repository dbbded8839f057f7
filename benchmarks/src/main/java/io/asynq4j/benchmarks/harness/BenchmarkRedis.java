package io.asynq4j.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import io.asynq4j.QueueName;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.resps.Slowlog;

/** Redis under measurement, with a connection of the library and one for inspection. */
public final class BenchmarkRedis implements AutoCloseable {

  private static final Duration REHASHING = Duration.ofSeconds(10);

  private final @Nullable EmbeddedRedis embedded;
  private final String uri;
  private final RedisConnection connection;
  private final Jedis admin;
  private final OperatingSystemMXBean jvm =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private int queues;

  private BenchmarkRedis(@Nullable EmbeddedRedis embedded, String uri) {
    this.embedded = embedded;
    this.uri = uri;
    this.admin = jedis(uri);
    this.connection = RedisConnection.open(uri);
  }

  private static Jedis jedis(String uri) {
    return new Jedis(
        URI.create(uri),
        DefaultJedisClientConfig.builder()
            .protocol(RedisProtocol.RESP2)
            .timeoutMillis(60_000)
            .build());
  }

  /**
   * Opens a Redis for measurements.
   *
   * @param uri URL of an empty Redis; null to start one without persistence
   */
  public static BenchmarkRedis open(@Nullable String uri) {
    if (uri == null) {
      return start(EmbeddedRedis.builder().ephemeral());
    }
    BenchmarkRedis opened = new BenchmarkRedis(null, uri);
    if (opened.admin.dbSize() > 0) {
      opened.close();
      throw new IllegalArgumentException(
          "the Redis to measure must be empty, because all its data is deleted afterwards: " + uri);
    }
    return opened;
  }

  /** Starts a Redis with an append-only file. */
  public static BenchmarkRedis persistent(Path directory, String fsync) {
    return start(EmbeddedRedis.builder().dataDirectory(directory).appendFsync(fsync));
  }

  private static BenchmarkRedis start(EmbeddedRedis.Builder redis) {
    RedisBinary.onPath("redis-server").ifPresent(redis::binary);
    EmbeddedRedis started = redis.start();
    return new BenchmarkRedis(started, started.uri());
  }

  /** URL for other clients. */
  public String uri() {
    return uri;
  }

  /** Connection of the library. */
  public RedisConnection connection() {
    return connection;
  }

  public Broker broker() {
    return BrokerConnection.brokerOf(connection);
  }

  public Jedis admin() {
    return admin;
  }

  /** Name of a new queue. */
  public QueueName newQueue() {
    return QueueName.of("bench" + ++queues);
  }

  public void clear() {
    admin.flushDB();
  }

  /**
   * Lets Redis finish incremental rehashing after its key space has grown, so that measurements do
   * not include it.
   */
  public void finishRehashing() {
    admin.configSet("hz", "500");
    try {
      // Redis does not report the end; at this rate 2 million keys take about three seconds.
      Thread.sleep(REHASHING.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    admin.configSet("hz", "10");
  }

  public ResourceUsage usage() {
    Map<String, String> cpu = info("cpu");
    String scripts = info("commandstats").get("cmdstat_evalsha");
    return new ResourceUsage(
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

  /** From now on, SLOWLOG records every call that takes at least this long. */
  public void logCalls(long slowerThanMicros) {
    admin.configSet("slowlog-max-len", "100000");
    admin.slowlogReset();
    admin.configSet("slowlog-log-slower-than", Long.toString(slowerThanMicros));
  }

  /** Durations in microseconds of the recorded script calls, in order. */
  public List<Long> loggedCalls() {
    admin.configSet("slowlog-log-slower-than", "-1");
    List<Long> micros = new ArrayList<>();
    for (Slowlog entry : admin.slowlogGet(100_000)) {
      if (entry.getArgs().get(0).equalsIgnoreCase("EVALSHA")) {
        micros.add(entry.getExecutionTime());
      }
    }
    Collections.reverse(micros);
    return micros;
  }

  public Map<String, String> info(String section) {
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
