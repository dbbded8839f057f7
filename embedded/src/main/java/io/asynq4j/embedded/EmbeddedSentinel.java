package io.asynq4j.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis with automatic failover for tests: one primary, two replicas and three sentinels. Each is
 * a child process like {@link EmbeddedRedis}. Thread-safe.
 */
public final class EmbeddedSentinel implements AutoCloseable {

  private static final int DATA_NODES = 3;
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration FAILOVER_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration FAILOVER_ATTEMPT = Duration.ofSeconds(5);

  private static final String[] STARTING_PERIODS = {
    "INFO-PERIOD", "200", "PUBLISH-PERIOD", "100", "PING-PERIOD", "400", "TILT-PERIOD", "1000"
  };

  // During a failover, a sentinel requests INFO once a second, regardless of these periods. So more
  // than a second must pass before the others demote the primary that it has just promoted (four
  // times the publish period), and before it considers the state of a replica outdated (three times
  // the info period or, with the primary down, five times the ping period). A lost connection is
  // reopened after a ping period, which must be shorter than the time after which a node is down.
  private static final String[] STEADY_PERIODS = {"INFO-PERIOD", "500", "PUBLISH-PERIOD", "500"};

  private final String masterName;
  private final @Nullable String sentinelPassword;
  private final List<EmbeddedRedis> nodes;
  private final List<EmbeddedRedis> sentinels;

  private EmbeddedSentinel(Builder builder) {
    this.masterName = builder.masterName;
    this.sentinelPassword = builder.sentinelPassword;
    List<EmbeddedRedis> started = new ArrayList<>();
    try {
      for (int i = 0; i < DATA_NODES; i++) {
        started.add(startNode(builder, i == 0 ? null : started.get(0)));
      }
      this.nodes = List.copyOf(started);
      Poll.require(READY_TIMEOUT, "the replicas to follow the primary", () -> follow(nodes.get(0)));
      for (int i = 0; i < SENTINELS; i++) {
        started.add(startSentinel(builder, nodes.get(0)));
      }
      this.sentinels = List.copyOf(started.subList(DATA_NODES, started.size()));
      Poll.require(READY_TIMEOUT, "the sentinels to know each other", this::sentinelsKnowAll);
      sentinels.forEach(sentinel -> debug(sentinel, STEADY_PERIODS));
    } catch (RuntimeException e) {
      started.forEach(EmbeddedRedis::close);
      throw e;
    }
  }

  /** Starts a group without passwords whose primary is called {@code mymaster}. */
  public static EmbeddedSentinel start() {
    return builder().start();
  }

  /** Returns a builder for a group. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the addresses of the sentinels, {@code host:port} each. */
  public List<String> sentinels() {
    return sentinels.stream().map(s -> s.host() + ":" + s.port()).toList();
  }

  /** Returns the processes of the sentinels, to stop or pause one. */
  public List<EmbeddedRedis> sentinelNodes() {
    return sentinels;
  }

  /** Returns the name under which the sentinels monitor the primary. */
  public String masterName() {
    return masterName;
  }

  /**
   * Returns {@code redis-sentinel://[:sentinelpassword@]host:port,host:port,host:port?master=name}.
   */
  public String uri() {
    return "redis-sentinel://"
        + EmbeddedRedis.userInfo(sentinelPassword)
        + String.join(",", sentinels())
        + "?master="
        + masterName;
  }

  /** Returns the current primary according to the first sentinel that answers. */
  public EmbeddedRedis primary() {
    for (EmbeddedRedis sentinel : sentinels) {
      Optional<EmbeddedRedis> primary = sentinel.isRunning() ? ask(sentinel) : Optional.empty();
      if (primary.isPresent()) {
        return primary.get();
      }
    }
    throw new EmbeddedRedisException("No sentinel responds; restart one of sentinelNodes()");
  }

  /** Returns the running nodes other than the current primary. */
  public List<EmbeddedRedis> replicas() {
    EmbeddedRedis primary = primary();
    return nodes.stream().filter(node -> node != primary && node.isRunning()).toList();
  }

  /** Returns all three data nodes, in any state. */
  public List<EmbeddedRedis> nodes() {
    return nodes;
  }

  /**
   * Makes the sentinels promote a replica, and waits until all of them agree and the other nodes
   * follow it, the former primary included. Clients of the former primary lose their connections.
   *
   * @return the new primary
   */
  public EmbeddedRedis failover() {
    EmbeddedRedis former = primary();
    long deadline = System.nanoTime() + FAILOVER_TIMEOUT.toNanos();
    while (System.nanoTime() - deadline < 0) {
      EmbeddedRedis sentinel =
          sentinels.stream()
              .filter(EmbeddedRedis::isRunning)
              .findFirst()
              .orElseThrow(
                  () ->
                      new EmbeddedRedisException(
                          "No sentinel is running; restart one of sentinelNodes()"));
      try (Jedis jedis = sentinel.connect()) {
        jedis.sentinelFailover(masterName);
      } catch (JedisDataException e) {
        // NOGOODSLAVE or INPROG: the previous failover has not completed yet.
        Poll.pause(Duration.ofMillis(50));
        continue;
      }
      if (Poll.until(FAILOVER_ATTEMPT, () -> agreedOnOtherThan(former))) {
        EmbeddedRedis promoted = primary();
        demote(former, promoted);
        return settled();
      }
    }
    throw new EmbeddedRedisException("No failover within " + FAILOVER_TIMEOUT);
  }

  /**
   * Kills the primary by SIGKILL and waits until the sentinels have elected another; {@link
   * EmbeddedRedis#restart()} brings the killed one back.
   *
   * @return the new primary
   */
  public EmbeddedRedis killPrimary() {
    EmbeddedRedis former = primary();
    former.kill();
    if (!Poll.until(FAILOVER_TIMEOUT, () -> agreedOnOtherThan(former))) {
      throw new EmbeddedRedisException("No new primary within " + FAILOVER_TIMEOUT);
    }
    return settled();
  }

  /** Ends all processes and deletes their files. */
  @Override
  public void close() {
    // The sentinels first: they would start a failover.
    sentinels.forEach(EmbeddedRedis::close);
    nodes.forEach(EmbeddedRedis::close);
  }

  private static EmbeddedRedis startNode(Builder builder, @Nullable EmbeddedRedis primary) {
    EmbeddedRedis.Builder node =
        EmbeddedRedis.builder()
            .inGroup(builder.binary, builder.password)
            .config("repl-diskless-sync", "yes")
            .config("repl-ping-replica-period", "1");
    if (primary != null) {
      node.config("replicaof", primary.host() + " " + primary.port());
    }
    return node.start();
  }

  private static EmbeddedRedis startSentinel(Builder builder, EmbeddedRedis primary) {
    String name = builder.masterName;
    EmbeddedRedis.Builder sentinel =
        EmbeddedRedis.builder()
            .sentinel()
            .config(
                "sentinel",
                String.format("monitor %s %s %d %d", name, primary.host(), primary.port(), QUORUM))
            .config("sentinel", "down-after-milliseconds " + name + " " + builder.downAfterMillis)
            .config("sentinel", "failover-timeout " + name + " 3000")
            .config("sentinel", "parallel-syncs " + name + " " + DATA_NODES);
    if (builder.binary != null) {
      sentinel.binary(builder.binary);
    }
    if (builder.password != null) {
      sentinel
          .secret(builder.password)
          .config("sentinel", "auth-pass " + name + " " + RedisConfWriter.quote(builder.password));
    }
    if (builder.sentinelPassword != null) {
      sentinel.password(builder.sentinelPassword);
    }
    EmbeddedRedis started = sentinel.start();
    debug(started, STARTING_PERIODS);
    return started;
  }

  /**
   * Sets timing parameters of a sentinel, which by default exchanges messages every two seconds and
   * checks nodes every ten. Possible since 7.0.
   */
  private static void debug(EmbeddedRedis sentinel, String... parameters) {
    try (Jedis jedis = sentinel.connect()) {
      jedis.sendCommand(
          Protocol.Command.SENTINEL,
          Stream.concat(Stream.of("DEBUG"), Arrays.stream(parameters)).toArray(String[]::new));
    } catch (JedisDataException e) {
      // 6.2 does not have the command, so its failovers are slower.
    }
  }

  /**
   * Demotes the former primary at once. The sentinels do so only after some seconds, in which
   * clients could write data to it that would be lost.
   */
  private static void demote(EmbeddedRedis former, EmbeddedRedis promoted) {
    if (former.isRunning()) {
      try (Jedis jedis = former.connect()) {
        jedis.replicaof(promoted.host(), promoted.port());
        jedis.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "normal");
        jedis.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "pubsub");
      }
    }
  }

  private boolean follow(EmbeddedRedis primary) {
    return nodes.stream()
        .filter(node -> node != primary && node.isRunning())
        .allMatch(node -> node.reports("master_port:" + primary.port(), "master_link_status:up"));
  }

  /**
   * Waits for the end of the failover. A sentinel reports the new primary before the failover is
   * complete, and if that primary dies in between, it never completes.
   */
  private EmbeddedRedis settled() {
    Poll.require(
        READY_TIMEOUT, "the failover to end", () -> sentinelsKnowAll() && follow(primary()));
    return primary();
  }

  private boolean sentinelsKnowAll() {
    int replicas = (int) nodes.stream().filter(EmbeddedRedis::isRunning).count() - 1;
    List<EmbeddedRedis> running = sentinels.stream().filter(EmbeddedRedis::isRunning).toList();
    Set<String> primaries = new HashSet<>();
    for (EmbeddedRedis sentinel : running) {
      try (Jedis jedis = sentinel.connect()) {
        Map<String, String> primary = jedis.sentinelMaster(masterName);
        primaries.add(primary.getOrDefault("port", ""));
        if (!primary.getOrDefault("flags", "").equals("master")
            || healthy(jedis.sentinelReplicas(masterName)) < replicas
            || healthy(jedis.sentinelSentinels(masterName)) != running.size() - 1) {
          return false;
        }
      }
    }
    return primaries.size() == 1;
  }

  private static long healthy(List<Map<String, String>> instances) {
    return instances.stream()
        .map(instance -> instance.getOrDefault("flags", ""))
        .filter(flags -> !flags.contains("s_down") && !flags.contains("disconnected"))
        .count();
  }

  private boolean agreedOnOtherThan(EmbeddedRedis former) {
    Set<EmbeddedRedis> answers = new HashSet<>();
    for (EmbeddedRedis sentinel : sentinels) {
      if (sentinel.isRunning()) {
        Optional<EmbeddedRedis> answer = ask(sentinel);
        if (answer.isEmpty()) {
          return false;
        }
        answers.add(answer.get());
      }
    }
    return answers.size() == 1
        && !answers.contains(former)
        && answers.stream().allMatch(node -> node.reports("role:master"));
  }

  private Optional<EmbeddedRedis> ask(EmbeddedRedis sentinel) {
    try (Jedis jedis = sentinel.connect()) {
      List<String> address = jedis.sentinelGetMasterAddrByName(masterName);
      return nodes.stream()
          .filter(node -> address != null && address.get(1).equals(Integer.toString(node.port())))
          .findFirst();
    } catch (JedisException e) {
      return Optional.empty();
    }
  }

  /** Configures a group. Not thread-safe. */
  public static final class Builder {

    private @Nullable RedisBinary binary;
    private @Nullable String password;
    private @Nullable String sentinelPassword;
    private String masterName = "mymaster";
    private long downAfterMillis = 1_000;

    private Builder() {}

    /** Sets the executable. Default: the bundled one. */
    public Builder binary(RedisBinary binary) {
      this.binary = binary;
      return this;
    }

    /** Sets the password of the primary and the replicas. Default: none. */
    public Builder password(String password) {
      this.password = password;
      return this;
    }

    /** Sets the password of the sentinels. Default: none. */
    public Builder sentinelPassword(String password) {
      this.sentinelPassword = password;
      return this;
    }

    /** Sets the name under which the sentinels monitor the primary. Default: mymaster. */
    public Builder masterName(String name) {
      if (!name.matches("[A-Za-z0-9._-]+")) {
        throw new IllegalArgumentException(
            "masterName must have only letters, digits, dots, underscores and dashes, got " + name);
      }
      this.masterName = name;
      return this;
    }

    /**
     * Sets how long a node may be unresponsive before the sentinels consider it down. Default: 1 s.
     */
    public Builder downAfter(Duration silence) {
      this.downAfterMillis = Math.max(1, silence.toMillis());
      return this;
    }

    /**
     * Starts the processes and waits until the replicas follow and the sentinels know them all.
     *
     * @throws EmbeddedRedisException if that fails
     */
    public EmbeddedSentinel start() {
      return new EmbeddedSentinel(this);
    }
  }
}
