package io.asynq4j.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis Cluster of three primaries for tests. Each node is a child process like {@link
 * EmbeddedRedis}. Thread-safe, except for concurrent migrations of the same slot.
 */
public final class EmbeddedCluster implements AutoCloseable {

  static final int SLOTS = 16_384;

  private static final int PRIMARIES = 3;
  private static final int NODE_TIMEOUT_MILLIS = 2_000;
  private static final Duration AGREE_TIMEOUT = Duration.ofSeconds(30);

  private final @Nullable String password;
  private final List<EmbeddedRedis> nodes;

  private EmbeddedCluster(Builder builder) {
    this.password = builder.password;
    List<EmbeddedRedis> started = new ArrayList<>();
    try {
      for (int i = 0; i < PRIMARIES * (1 + builder.replicas); i++) {
        started.add(startNode(builder));
      }
      this.nodes = List.copyOf(started);
      form();
    } catch (RuntimeException e) {
      started.forEach(EmbeddedRedis::close);
      throw e;
    }
  }

  /** Starts three primaries without replicas and password. */
  public static EmbeddedCluster start() {
    return builder().start();
  }

  /** Returns a builder for a cluster. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns {@code redis-cluster://[:password@]host:port,host:port,host:port}. */
  public String uri() {
    return "redis-cluster://"
        + EmbeddedRedis.userInfo(password)
        + String.join(",", nodes.stream().map(n -> n.host() + ":" + n.port()).toList());
  }

  /** Returns all nodes: the three initial primaries, then the replicas. */
  public List<EmbeddedRedis> nodes() {
    return nodes;
  }

  /** Returns the primary that serves the slot. */
  public EmbeddedRedis nodeOf(int slot) {
    if (slot < 0 || slot >= SLOTS) {
      throw new IllegalArgumentException("slot must be 0 to 16,383, got " + slot);
    }
    for (EmbeddedRedis node : nodes) {
      if (node.isRunning()) {
        int port = owners(node)[slot];
        if (port != 0) {
          return byPort(port);
        }
      }
    }
    throw new EmbeddedRedisException(
        "No running node serves slot " + slot + "; restart the one of nodes() that does");
  }

  /** Moves a slot with all its keys to another primary. */
  public void migrateSlot(int slot, EmbeddedRedis target) {
    beginMigration(slot, target).finish();
  }

  /**
   * Starts the migration of a slot between two primaries, during which clients get {@code ASK} for
   * keys that are not (or no longer) on the old one.
   */
  public SlotMigration beginMigration(int slot, EmbeddedRedis target) {
    EmbeddedRedis source = nodeOf(slot);
    if (source == target) {
      throw new IllegalArgumentException("slot " + slot + " is already on " + target);
    }
    if (!nodes.contains(target)) {
      throw new IllegalArgumentException("target must be a node of this cluster, got " + target);
    }
    return new SlotMigration(this, slot, source, target);
  }

  /** Ends all processes and deletes their files. */
  @Override
  public void close() {
    nodes.forEach(EmbeddedRedis::close);
  }

  @Nullable String password() {
    return password;
  }

  /** Returns the running nodes that serve slots, and this one. */
  List<EmbeddedRedis> primariesAnd(EmbeddedRedis node) {
    int[] owners = owners(node);
    return nodes.stream()
        .filter(EmbeddedRedis::isRunning)
        .filter(n -> n == node || Arrays.stream(owners).anyMatch(port -> port == n.port()))
        .toList();
  }

  /**
   * Waits until all nodes know the configuration epoch of each primary, and no two are equal. If
   * two nodes claim a slot, the greater epoch wins. A target that does not know its source's newest
   * epoch yet could therefore lose a slot to an earlier message of the source.
   */
  void awaitEpochs() {
    Poll.require(
        AGREE_TIMEOUT,
        "all nodes to know the configuration epochs of all primaries",
        () -> {
          List<Map<String, Long>> views =
              nodes.stream().filter(EmbeddedRedis::isRunning).map(EmbeddedCluster::epochs).toList();
          return views.stream().distinct().count() == 1
              && views.get(0).values().stream().distinct().count() == views.get(0).size();
        });
  }

  void awaitOwner(int slot, EmbeddedRedis owner) {
    Poll.require(
        AGREE_TIMEOUT,
        "all nodes to know the new node of slot " + slot,
        () ->
            nodes.stream()
                .filter(EmbeddedRedis::isRunning)
                .allMatch(node -> owners(node)[slot] == owner.port()));
  }

  private static EmbeddedRedis startNode(Builder builder) {
    EmbeddedRedis.Builder node =
        EmbeddedRedis.builder()
            .inGroup(builder.binary, builder.password)
            .config("cluster-enabled", "yes")
            .config("cluster-config-file", "nodes.conf")
            .config("cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MILLIS));
    builder.directives.forEach(d -> node.config(d.name(), d.value()));
    return node.start();
  }

  private void form() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      try (Jedis jedis = nodes.get(i).connect()) {
        ids.add(jedis.clusterMyId());
        // Distinct from the start; otherwise the nodes would first have to resolve equal epochs.
        jedis.sendCommand(Protocol.Command.CLUSTER, "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        if (i < PRIMARIES) {
          // One by one instead of ADDSLOTSRANGE, which 6.2 does not have.
          jedis.clusterAddSlots(
              IntStream.range(i * SLOTS / PRIMARIES, (i + 1) * SLOTS / PRIMARIES).toArray());
        }
        for (EmbeddedRedis other : nodes.subList(0, i)) {
          jedis.clusterMeet(other.host(), other.port());
        }
      }
    }
    Poll.require(
        AGREE_TIMEOUT,
        "the nodes to meet",
        () -> nodes.stream().allMatch(node -> knows(node, ids)));
    for (int i = PRIMARIES; i < nodes.size(); i++) {
      try (Jedis jedis = nodes.get(i).connect()) {
        jedis.clusterReplicate(ids.get(i % PRIMARIES));
      }
    }
    Poll.require(AGREE_TIMEOUT, "the cluster to be ready", this::isReady);
  }

  private static boolean knows(EmbeddedRedis node, List<String> ids) {
    try (Jedis jedis = node.connect()) {
      String known = jedis.clusterNodes();
      return !known.contains("handshake") && ids.stream().allMatch(known::contains);
    }
  }

  private boolean isReady() {
    int[] expected = owners(nodes.get(0));
    for (int i = 0; i < nodes.size(); i++) {
      EmbeddedRedis node = nodes.get(i);
      int[] seen = owners(node);
      if (!Arrays.equals(expected, seen) || Arrays.stream(seen).anyMatch(port -> port == 0)) {
        return false;
      }
      if (i >= PRIMARIES && !node.reports("master_link_status:up")) {
        return false;
      }
      try (Jedis jedis = node.connect()) {
        if (!jedis.clusterInfo().contains("cluster_state:ok")) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the port of the primary of each slot as the node sees it; 0 if unknown. */
  private static int[] owners(EmbeddedRedis node) {
    int[] owners = new int[SLOTS];
    try (Jedis jedis = node.connect()) {
      for (Object entry : (List<?>) jedis.sendCommand(Protocol.Command.CLUSTER, "SLOTS")) {
        List<?> range = (List<?>) entry;
        int first = Math.toIntExact((Long) range.get(0));
        int last = Math.toIntExact((Long) range.get(1));
        int port = Math.toIntExact((Long) ((List<?>) range.get(2)).get(1));
        Arrays.fill(owners, first, last + 1, port);
      }
    } catch (JedisException e) {
      // The node does not respond: all are unknown.
    }
    return owners;
  }

  /**
   * Returns the configuration epoch of each primary as the node sees it; empty if it does not
   * answer.
   */
  static Map<String, Long> epochs(EmbeddedRedis node) {
    Map<String, Long> epochs = new HashMap<>();
    try (Jedis jedis = node.connect()) {
      for (String line : jedis.clusterNodes().lines().toList()) {
        String[] fields = line.split(" ", -1);
        if (fields[2].contains("master")) {
          epochs.put(fields[0], Long.valueOf(fields[6]));
        }
      }
    } catch (JedisException e) {
      return Map.of();
    }
    return epochs;
  }

  private EmbeddedRedis byPort(int port) {
    return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }

  /** Configures a cluster. Not thread-safe. */
  public static final class Builder {

    private final List<ServerSettings.Directive> directives = new ArrayList<>();
    private @Nullable RedisBinary binary;
    private @Nullable String password;
    private int replicas;

    private Builder() {}

    /** Sets the executable. Default: the bundled one. */
    public Builder binary(RedisBinary binary) {
      this.binary = binary;
      return this;
    }

    /** Sets the password of all nodes. Default: none. */
    public Builder password(String password) {
      this.password = password;
      return this;
    }

    /** Sets the number of replicas per primary. Default: none. */
    public Builder replicas(int perPrimary) {
      if (perPrimary < 0) {
        throw new IllegalArgumentException("replicas must be 0 or greater, got " + perPrimary);
      }
      this.replicas = perPrimary;
      return this;
    }

    /** Adds a line to the {@code redis.conf} of each node. */
    public Builder config(String directive, String value) {
      directives.add(new ServerSettings.Directive(directive, value));
      return this;
    }

    /**
     * Starts the nodes and waits until they agree that the cluster is complete.
     *
     * @throws EmbeddedRedisException if that fails
     */
    public EmbeddedCluster start() {
      return new EmbeddedCluster(this);
    }
  }
}
