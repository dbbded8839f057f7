package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.DedicatedConnection;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisError;
import io.asynq4j.internal.redis.connection.RedisNodes;
import io.asynq4j.internal.text.SafeLog;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One primary that tells of changes: on one connection it is asked, on the other it tells. A thread
 * listens, and connects again when one of them is lost. Thread-safe.
 */
final class TrackedServer {

  private static final Logger log = LoggerFactory.getLogger(TrackedServer.class);

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The two connections. */
  private static final class Pair {
    final DedicatedConnection asks;
    final DedicatedConnection tells;
    final AtomicBoolean owesPong = new AtomicBoolean();
    final AtomicBoolean answered = new AtomicBoolean();
    volatile boolean announced;

    Pair(DedicatedConnection asks, DedicatedConnection tells) {
      this.asks = asks;
      this.tells = tells;
    }

    void cut() {
      asks.cut();
      tells.cut();
    }
  }

  private final ClientTracking tracking;
  private final RedisCommandExecutor link;
  private final RedisNodes.Server server;
  private final int slot;
  private final Thread thread;
  private final AtomicBoolean started = new AtomicBoolean();
  private final ReentrantLock asking = new ReentrantLock();
  private final AtomicReference<@Nullable Pair> live = new AtomicReference<>();
  private volatile boolean ended;
  private boolean wasLive;

  TrackedServer(
      ClientTracking tracking, RedisCommandExecutor link, RedisNodes.Server server, int slot) {
    this.tracking = tracking;
    this.link = link;
    this.server = server;
    this.slot = slot;
    this.thread = new Thread(this::run, "asynq-lookout-" + server.name());
    thread.setDaemon(true);
  }

  /**
   * Nothing when it has been started before. When no thread can be had, a later call tries again.
   */
  void start() {
    if (!started.get() && started.compareAndSet(false, true)) {
      try {
        thread.start();
      } catch (OutOfMemoryError e) {
        started.set(false);
        log.warn("no thread to hear of changes on; queues are asked until there is one", e);
      }
    }
  }

  /** Whether looking makes it tell. */
  boolean isReady() {
    return live.get() != null;
  }

  /** Whether it is ready, and everybody was told that what they looked at before does not count. */
  boolean isLive() {
    Pair pair = live.get();
    return pair != null && pair.announced;
  }

  /**
   * Looks at queues so that their next changes are told of. Nothing when this is not possible now.
   */
  NonEmptyQueueQuery.@Nullable Result look(
      NonEmptyQueueQuery survey, Collection<QueueName> queues) {
    asking.lock();
    try {
      Pair pair = live.get();
      if (pair == null) {
        return null;
      }
      NonEmptyQueueQuery.Asker asker =
          commands -> RedisCommandExecutor.exchangeAll(pair.asks, commands);
      NonEmptyQueueQuery.Result found;
      try {
        found = tracking.isSharded() ? survey.eachOf(queues, asker) : survey.allOf(queues, asker);
        pair.answered.set(true);
      } catch (JedisException e) {
        abandon(pair);
        return null;
      } catch (RuntimeException | Error e) {
        // An answer may be left unread on it.
        abandon(pair);
        throw e;
      }
      return isStillLive(pair) ? found : null;
    } finally {
      asking.unlock();
    }
  }

  /** Finds out when a connection has died in silence, or another server should be asked. */
  void check() {
    Pair pair = live.get();
    if (pair == null) {
      return;
    }
    try {
      if (pair.owesPong.getAndSet(true) || !link.serverOf(slot).name().equals(server.name())) {
        abandon(pair);
        return;
      }
      pair.tells.sendCommand(Command.PING);
      // Sends what was written and reads nothing: that is the listening thread's.
      pair.tells.getMany(0);
      // One that has just answered lives.
      if (!pair.answered.getAndSet(false) && asking.tryLock()) {
        try {
          pair.asks.executeCommand(new CommandArguments(Command.PING));
        } finally {
          asking.unlock();
        }
      }
      if (!isStillLive(pair)) {
        log.debug("cut while it was looked at");
      }
    } catch (JedisException e) {
      abandon(pair);
    }
  }

  /**
   * Jedis connects again by itself when it sends something on a connection that somebody else has
   * cut. On the new one nothing is told of.
   */
  private boolean isStillLive(Pair pair) {
    if (live.get() == pair) {
      return true;
    }
    pair.cut();
    return false;
  }

  /** The listening thread notices, tells of it, and connects again. */
  private void abandon(Pair pair) {
    live.compareAndSet(pair, null);
    pair.cut();
  }

  private void run() {
    long pause = FIRST_PAUSE_NANOS;
    while (!ended) {
      wasLive = false;
      try {
        connectAndListen();
      } catch (RuntimeException | Error e) {
        // Also after an error such as a lack of memory it must hear of changes again.
        try {
          failed(e);
        } catch (RuntimeException | Error other) {
          SafeLog.error(log, "could not tell that Redis does not tell of changes", other);
        }
      }
      if (!ended) {
        pause = wasLive ? FIRST_PAUSE_NANOS : pause;
        LockSupport.parkNanos(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
    }
  }

  private void failed(Throwable e) {
    if (ended) {
      return;
    }
    if (!link.isOpen()) {
      tracking.close();
    } else if (wasLive) {
      log.info("Redis no longer tells of changes; connecting again: {}", e.getMessage());
      tracking.lost();
      link.refresh();
    } else {
      log.debug("Redis does not tell of changes yet", e);
    }
  }

  private void connectAndListen() {
    RedisNodes.Server now = link.serverOf(slot);
    if (!now.name().equals(server.name())) {
      ended = true;
      tracking.replace(this, now, slot);
      return;
    }
    DedicatedConnection tells = link.open(now);
    try {
      DedicatedConnection asks = link.open(now);
      Pair pair = new Pair(asks, tells);
      try {
        if (prepare(pair)) {
          listen(pair);
        }
      } finally {
        abandon(pair);
      }
    } finally {
      tells.cut();
    }
  }

  private boolean prepare(Pair pair) {
    try {
      Object id = pair.tells.executeCommand(client("ID"));
      pair.tells.executeCommand(
          new CommandArguments(Command.SUBSCRIBE).add(RedisKeys.INVALIDATIONS));
      pair.asks.executeCommand(
          client("TRACKING").add("ON").add("REDIRECT").add(ReplyParser.number(id)));
      return true;
    } catch (JedisDataException e) {
      if (isForGood(e)) {
        tracking.refused(String.valueOf(e.getMessage()));
        return false;
      }
      throw e;
    }
  }

  private static CommandArguments client(String subcommand) {
    return new CommandArguments(Command.CLIENT).add(subcommand);
  }

  private static boolean isForGood(JedisDataException answer) {
    RedisError error = RedisError.of(answer);
    // The other connection may have been lost just now.
    boolean otherLost = String.valueOf(answer.getMessage()).contains("redirect to does not exist");
    return error == RedisError.NOPERM || (error == RedisError.OTHER && !otherLost);
  }

  private void listen(Pair pair) {
    pair.tells.setTimeoutInfinite();
    live.set(pair);
    // Looked at again, since whoever ended this meanwhile found no connection to cut.
    if (ended) {
      return;
    }
    wasLive = true;
    log.debug("Redis at {} tells of changes", server.name());
    // Whatever was looked at before is not told of.
    tracking.lost();
    pair.announced = true;
    while (live.get() == pair) {
      hear(pair, ReplyParser.list(pair.tells.getUnflushedObject()));
    }
    throw new JedisConnectionException("the connection on which it was asked is lost");
  }

  private void hear(Pair pair, List<@Nullable Object> message) {
    switch (ReplyParser.text(message.get(0))) {
      case "pong" -> pair.owesPong.set(false);
      case "message" -> {
        if (message.get(2) == null) {
          // Redis has forgotten what was looked at, as after FLUSHALL.
          tracking.lost();
        }
        for (Object key : ReplyParser.list(message.get(2))) {
          tracking.changed(ReplyParser.text(key));
        }
      }
      default -> log.debug("a message of a kind that is not waited for");
    }
  }

  void end() {
    ended = true;
    Pair pair = live.get();
    if (pair != null) {
      abandon(pair);
    }
    LockSupport.unpark(thread);
  }
}
