package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.DedicatedConnection;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisError;
import io.asynq4j.internal.redis.connection.RedisServer;
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
 * One primary with client tracking: reads go over one connection, invalidation messages arrive on
 * the other. A thread listens, and reconnects when either connection is lost. Thread-safe.
 */
final class TrackedServer {

  private static final Logger log = LoggerFactory.getLogger(TrackedServer.class);

  private static final String NOT_NOTIFIED =
      SafeLog.text("could not notify the watches of lost change tracking; queues are polled");

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The reading and the listening connection. */
  private static final class Pair {
    final DedicatedConnection reader;
    final DedicatedConnection listener;
    final AtomicBoolean owesPong = new AtomicBoolean();
    final AtomicBoolean answered = new AtomicBoolean();
    volatile boolean announced;

    Pair(DedicatedConnection reader, DedicatedConnection listener) {
      this.reader = reader;
      this.listener = listener;
    }

    void cut() {
      reader.cut();
      listener.cut();
    }
  }

  private final ClientTracking tracking;
  private final RedisCommandExecutor link;
  private final String server;
  private final int slot;
  private final Thread thread;
  private final ReentrantLock asking = new ReentrantLock();
  private final AtomicReference<@Nullable Pair> live = new AtomicReference<>();
  private volatile boolean ended;
  private boolean wasLive;

  TrackedServer(ClientTracking tracking, RedisCommandExecutor link, String server, int slot) {
    this.tracking = tracking;
    this.link = link;
    this.server = server;
    this.slot = slot;
    this.thread = DaemonThreadPools.factory("asynq-tracking-" + server).newThread(this::run);
  }

  /**
   * Starts the listening thread. Does nothing if it was started before. If no thread can be
   * created, a later call tries again.
   */
  synchronized void start() {
    if (thread.getState() == Thread.State.NEW) {
      try {
        thread.start();
      } catch (OutOfMemoryError e) {
        log.warn(
            "no thread could be started to listen for changes; queues are polled until one is available",
            e);
      }
    }
  }

  /**
   * Returns whether reads are tracked and every watch was notified that its earlier reads no longer
   * count.
   */
  boolean isLive() {
    Pair pair = live.get();
    return pair != null && pair.announced;
  }

  /**
   * Reads queues for a watch, so that Redis reports their next changes. Returns null if this is not
   * possible now.
   */
  NonEmptyQueueQuery.@Nullable Result look(
      WatchSubscription watch, NonEmptyQueueQuery survey, Collection<QueueName> queues) {
    asking.lock();
    try {
      Pair pair = live.get();
      if (pair == null) {
        return null;
      }
      watch.expect(queues, survey.parts());
      try {
        NonEmptyQueueQuery.Result found =
            survey.among(
                queues,
                link.isSharded(),
                commands -> RedisCommandExecutor.exchangeAll(pair.reader, commands));
        pair.answered.set(true);
        return cutUnlessLive(pair) ? found : null;
      } catch (RuntimeException | Error e) {
        // An unread reply may be left on the connection.
        abandon(pair);
        if (e instanceof JedisException) {
          return null;
        }
        throw e;
      }
    } finally {
      asking.unlock();
    }
  }

  /** Detects a connection that died silently, and a slot that moved to another server. */
  void check() {
    Pair pair = live.get();
    if (pair == null) {
      return;
    }
    try {
      if (pair.owesPong.getAndSet(true) || !link.serverOf(slot).name().equals(server)) {
        abandon(pair);
        return;
      }
      pair.listener.sendCommand(Command.PING);
      // Sends buffered commands without reading: only the listening thread reads.
      pair.listener.getMany(0);
      // A connection that has just answered is alive.
      if (!pair.answered.getAndSet(false) && asking.tryLock()) {
        try {
          pair.reader.executeCommand(new CommandArguments(Command.PING));
        } finally {
          asking.unlock();
        }
      }
      cutUnlessLive(pair);
    } catch (JedisException e) {
      abandon(pair);
    }
  }

  /**
   * Jedis reconnects by itself when it sends a command on a connection that was closed. The new
   * connection has no tracking. Returns whether this has not happened.
   */
  private boolean cutUnlessLive(Pair pair) {
    if (live.get() == pair) {
      return true;
    }
    pair.cut();
    return false;
  }

  /**
   * Closes both connections. The listening thread notices it, resets the watches and reconnects.
   */
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
        // The thread must continue to listen even after an error such as OutOfMemoryError.
        try {
          failed(e);
        } catch (RuntimeException | Error other) {
          SafeLog.error(log, NOT_NOTIFIED, other);
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
      log.info("change tracking lost; reconnecting: {}", e.getMessage());
      tracking.lost();
      link.refresh();
    } else {
      log.debug("change tracking is not available yet; retrying", e);
    }
  }

  private void connectAndListen() {
    RedisServer now = link.serverOf(slot);
    if (!now.name().equals(server)) {
      ended = true;
      tracking.replace(this, now.name(), slot);
      return;
    }
    DedicatedConnection listener = link.open(now);
    try {
      DedicatedConnection reader = link.open(now);
      Pair pair = new Pair(reader, listener);
      try {
        if (prepare(pair)) {
          listen(pair);
        }
      } finally {
        abandon(pair);
      }
    } finally {
      listener.cut();
    }
  }

  private boolean prepare(Pair pair) {
    try {
      Object id = pair.listener.executeCommand(client("ID"));
      pair.listener.executeCommand(
          new CommandArguments(Command.SUBSCRIBE).add(RedisKeys.INVALIDATIONS));
      pair.reader.executeCommand(
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
    // The listening connection may have been lost a moment ago.
    boolean otherLost = String.valueOf(answer.getMessage()).contains("redirect to does not exist");
    return error == RedisError.NOPERM || (error == RedisError.OTHER && !otherLost);
  }

  private void listen(Pair pair) {
    pair.listener.setTimeoutInfinite();
    live.set(pair);
    // Checked again, since a concurrent end() found no connection to close.
    if (ended) {
      return;
    }
    wasLive = true;
    log.debug("change tracking is active on Redis at {}", server);
    // Earlier reads are not tracked on the new connection.
    tracking.lost();
    pair.announced = true;
    while (live.get() == pair) {
      hear(pair, ReplyParser.list(pair.listener.getUnflushedObject()));
    }
    throw new JedisConnectionException("the reading connection is lost");
  }

  private void hear(Pair pair, List<@Nullable Object> message) {
    switch (ReplyParser.text(message.get(0))) {
      case "pong" -> pair.owesPong.set(false);
      case "message" -> {
        if (message.get(2) == null) {
          // Redis dropped its tracking table, for example after FLUSHALL.
          tracking.lost();
        }
        for (Object key : ReplyParser.list(message.get(2))) {
          tracking.changed(ReplyParser.text(key));
        }
      }
      default -> log.debug("ignored a message of an unexpected kind");
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
