package io.asynq4j.internal.redis.connection;

import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.redis.RedisConfig;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The current primary according to the sentinels. A thread queries them once a second, and at once
 * after a failed call; callers never wait for it. The provider of Jedis is not used: it leaves
 * threads behind when it is closed, and logs a stack trace for each sentinel that is down.
 */
final class SentinelNodes implements RedisNodes {

  private static final Logger log = LoggerFactory.getLogger(SentinelNodes.class);

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SHORTEST_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * How long a single sentinel is trusted. Sentinels propagate a new primary within two seconds;
   * querying others earlier could return the old primary, and what that accepts is lost.
   */
  private static final long HEARSAY_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final RedisConfig config;
  private final String masterName;
  private final JedisClientConfig client;
  private final JedisClientConfig sentinelClient;
  private final List<HostAndPort> sentinels;
  private final Thread watcher =
      DaemonThreadPools.factory("asynq-sentinels").newThread(this::watch);
  private volatile RedisServer primary;
  private volatile boolean doubted;
  private volatile boolean closed;
  // Accessed by the constructor, then by the watcher thread only.
  private int current;
  private long leftNanos = System.nanoTime();
  private @Nullable Connection sentinel;

  SentinelNodes(RedisConfig config) {
    this.config = config;
    this.masterName = config.masterName().orElseThrow();
    this.client = JedisConfigFactory.forData(config);
    this.sentinelClient = JedisConfigFactory.forSentinels(config);
    this.sentinels = List.copyOf(JedisConfigFactory.hostsAndPorts(config));
    this.primary = serverAt(ask());
    try {
      watcher.start();
    } catch (Error e) {
      leaveSentinel();
      throw e;
    }
  }

  private RedisServer serverAt(HostAndPort address) {
    return RedisServer.at(address, address.toString(), client, config);
  }

  private void watch() {
    boolean silent = false;
    while (!closed) {
      LockSupport.parkNanos(SHORTEST_INTERVAL_NANOS);
      if (!doubted) {
        LockSupport.parkNanos(INTERVAL_NANOS);
      }
      if (doubted && System.nanoTime() - leftNanos > HEARSAY_NANOS) {
        leaveSentinel();
      }
      doubted = false;
      try {
        follow(ask());
        silent = false;
      } catch (JedisException e) {
        if (!silent && !closed) {
          silent = true;
          log.warn("no sentinel answers; keeping the primary at {}", primary.name());
        }
      } catch (RuntimeException | Error e) {
        // This thread must survive errors, or failovers would no longer be followed.
        log.error("could not query the sentinels for the primary; retrying", e);
      }
    }
    leaveSentinel();
  }

  private synchronized void follow(HostAndPort address) {
    RedisServer former = primary;
    if (!closed && !address.toString().equals(former.name())) {
      log.info("the primary is now at {}, no longer at {}", address, former.name());
      primary = serverAt(address);
      former.close();
    }
  }

  /** Queries the sentinels in sequence until one knows the primary. */
  private HostAndPort ask() {
    JedisException failure =
        new JedisConnectionException("no sentinel knows a primary called " + masterName);
    for (int i = 0; i < sentinels.size(); i++) {
      try {
        return askCurrent();
      } catch (JedisException e) {
        failure.addSuppressed(e);
        leaveSentinel();
      }
    }
    throw failure;
  }

  private HostAndPort askCurrent() {
    Connection asked = sentinel;
    if (asked == null) {
      asked = new Connection(sentinels.get(current), sentinelClient);
      sentinel = asked;
    }
    Object answer =
        asked.executeCommand(
            new CommandArguments(Command.SENTINEL).add("GET-MASTER-ADDR-BY-NAME").add(masterName));
    List<@Nullable Object> address = ReplyParser.list(answer);
    if (address.isEmpty()) {
      throw new JedisConnectionException(
          "the sentinel at " + sentinels.get(current) + " knows no primary called " + masterName);
    }
    return new HostAndPort(ReplyParser.text(address.get(0)), ReplyParser.integer(address.get(1)));
  }

  private void leaveSentinel() {
    Connection left = sentinel;
    sentinel = null;
    leftNanos = System.nanoTime();
    current = (current + 1) % sentinels.size();
    if (left != null) {
      left.close();
    }
  }

  @Override
  public Connection connectTo(HostAndPort node) {
    throw new JedisDataException("that " + node + " has it, which no primary behind sentinels may");
  }

  @Override
  public RedisServer serverOf(int slot) {
    return primary;
  }

  @Override
  public void refresh() {
    doubted = true;
    LockSupport.unpark(watcher);
  }

  @Override
  public synchronized void close() {
    closed = true;
    LockSupport.unpark(watcher);
    primary.close();
  }
}
