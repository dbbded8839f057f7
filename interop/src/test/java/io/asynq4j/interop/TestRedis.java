package io.asynq4j.interop;

import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.RedisBinary;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A Redis, alone or a cluster; started once for a class, and emptied before each of its tests. */
final class TestRedis implements AutoCloseable {

  /** What there is to run on. */
  enum Kind {
    STANDALONE("one Redis"),
    CLUSTER("a cluster"),
    /** For a client that cannot parse the node list of newer versions. */
    OLD_CLUSTER("a cluster of Redis 6.2");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    @Override
    public String toString() {
      return title;
    }
  }

  private record Owner(Class<?> tests, InteropSetup setting) {}

  private static final Map<Owner, TestRedis> STARTED = new ConcurrentHashMap<>();

  private final String uri;
  private final List<EmbeddedRedis> nodes;
  private final IntFunction<EmbeddedRedis> nodeOfSlot;

  private final Runnable close;

  private TestRedis(
      String uri,
      List<EmbeddedRedis> nodes,
      IntFunction<EmbeddedRedis> nodeOfSlot,
      Runnable close) {
    this.uri = uri;
    this.nodes = nodes;
    this.nodeOfSlot = nodeOfSlot;
    this.close = close;
  }

  static TestRedis of(Class<?> tests, InteropSetup setting) {
    return STARTED.computeIfAbsent(new Owner(tests, setting), unused -> start(setting.store()));
  }

  private static TestRedis start(Kind kind) {
    if (kind == Kind.STANDALONE) {
      EmbeddedRedis alone = EmbeddedRedis.builder().ephemeral().start();
      return new TestRedis(alone.uri(), List.of(alone), slot -> alone, alone::close);
    }
    EmbeddedCluster cluster =
        kind == Kind.CLUSTER
            ? EmbeddedCluster.start()
            : EmbeddedCluster.builder().binary(oldRedis()).start();
    return new TestRedis(cluster.uri(), cluster.nodes(), cluster::nodeOf, cluster::close);
  }

  /** From the artefact that carries one for this platform. */
  private static RedisBinary oldRedis() {
    boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
    boolean arm = System.getProperty("os.arch").equals("aarch64");
    if (mac) {
      return RedisBinary.fromClasspath(
          "/redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64"));
    }
    return RedisBinary.fromClasspath(
        arm ? "/redis-server-6.2.7-linux-arm64" : "/redis-server-6.2.6-v5-linux-amd64");
  }

  static void closeThoseOf(Class<?> tests) {
    for (Owner owner : Set.copyOf(STARTED.keySet())) {
      TestRedis store = owner.tests.equals(tests) ? STARTED.remove(owner) : null;
      if (store != null) {
        store.close();
      }
    }
  }

  void clear() {
    for (EmbeddedRedis node : nodes) {
      try (Jedis jedis = connect(node)) {
        jedis.flushAll();
      }
    }
  }

  @Override
  public void close() {
    close.run();
  }

  String uri() {
    return uri;
  }

  /** A connection to the node that holds what belongs to a queue. */
  Jedis jedis(String queue) {
    return connect(nodeOfSlot.apply(JedisClusterCRC16.getSlot("{" + queue + "}")));
  }

  private static Jedis connect(EmbeddedRedis node) {
    return new Jedis(node.host(), node.port());
  }
}
