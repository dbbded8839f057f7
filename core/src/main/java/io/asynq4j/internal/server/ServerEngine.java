package io.asynq4j.internal.server;

import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerHealth;
import io.asynq4j.server.ServerState;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lifecycle of a server: it starts once, may become quiet, and stops. Thread-safe. */
public final class ServerEngine {

  private static final Logger log = LoggerFactory.getLogger(ServerEngine.class);

  private static final String NOT_STOPPED = SafeLog.text("stopping the server failed; retrying");

  private static final int MOST_STOP_ATTEMPTS = 10;

  private final String id = UUID.randomUUID().toString();
  private final ServerActors.Parts parts;
  private final AtomicBoolean failed = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Changed with the lock held; read without it, since a start may wait for Redis. */
  private volatile ServerState state = ServerState.NEW;

  private volatile @Nullable ServerActors running;
  private volatile Broker.Registration beforeClose = () -> {};

  public ServerEngine(RedisConnection redis, ServerConfig config, Handler<Task> handler) {
    Broker broker = BrokerConnection.brokerOf(redis);
    this.parts =
        new ServerActors.Parts(
            redis,
            broker,
            config,
            handler,
            new ServedQueues(config),
            new OutageTracker(config.listeners(), broker.clock()));
  }

  public synchronized void start() {
    switch (state) {
      case NEW -> {
        // First: nothing else works if the connection is already closed.
        beforeClose = parts.broker().beforeClose(this::stopBeforeClose);
        ServerActors started = null;
        try {
          if (parts.config().defined() != null) {
            parts.config().defined().begin(parts.queues());
          }
          started = new ServerActors(parts, this);
          running = started;
          state = ServerState.ACTIVE;
          started.start();
        } catch (RuntimeException | Error e) {
          // Such as a lack of threads: nothing has been claimed, and a later start may succeed.
          running = null;
          state = ServerState.NEW;
          if (started != null) {
            started.undoStart();
          }
          beforeClose.close();
          throw e;
        }
        log.info("server {} processes tasks of {}", id, parts.queues().weights());
      }
      case ACTIVE, QUIET ->
          throw new IllegalStateException(
              "the server runs already; build another one to run a second");
      case STOPPING, CLOSED ->
          throw new IllegalStateException("the server was stopped; build a new one");
    }
  }

  public synchronized void quiet() {
    ServerActors current = running;
    if (state == ServerState.ACTIVE && current != null) {
      state = ServerState.QUIET;
      current.quiet();
      log.info("server {} claims no more tasks", id);
    }
  }

  public void stop() {
    ServerActors current = null;
    synchronized (this) {
      if (state == ServerState.NEW) {
        return;
      }
      if (state == ServerState.ACTIVE || state == ServerState.QUIET) {
        current = running;
        state = ServerState.STOPPING;
      }
    }
    if (current == null) {
      awaitOther();
      return;
    }
    try {
      stopWithRetries(current);
    } finally {
      synchronized (this) {
        state = ServerState.CLOSED;
      }
      beforeClose.close();
      closed.countDown();
      log.info("server {} has stopped", id);
    }
  }

  /** Stops the server, since it can never extend its leases or settle its tasks. */
  void fail(LinkageError error) {
    if (!failed.compareAndSet(false, true)) {
      return;
    }
    try {
      // On a separate thread: a stop may end this one.
      DaemonThreadPools.factory("asynq-failed").newThread(this::stop).start();
    } catch (RuntimeException | Error e) {
      failed.set(false);
      throw e;
    }
    log.error(
        "server {} stops: code could not be linked, so it cannot claim tasks, extend their leases or settle them;"
            + " check the versions of the dependencies and the memory of the process",
        id,
        error);
  }

  /** Repeats a failed stop, so that no thread keeps leases. Repeated steps have no effect. */
  private static void stopWithRetries(ServerActors current) {
    for (int tries = 1; ; tries++) {
      try {
        current.stop();
        return;
      } catch (RuntimeException | Error e) {
        if (tries == MOST_STOP_ATTEMPTS) {
          throw e;
        }
        SafeLog.error(log, NOT_STOPPED, e);
        current.pause(Duration.ofMillis(100));
      }
    }
  }

  private void stopBeforeClose() {
    ServerState now = state();
    if (now == ServerState.ACTIVE || now == ServerState.QUIET) {
      log.error(
          "the connection to Redis is closed while server {} uses it, so the server stops first;"
              + " stop servers before you close their connection",
          id);
    }
    stop();
  }

  /** Waits for another thread that stops the server. */
  private void awaitOther() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean awaitStop(Duration most) throws InterruptedException {
    return closed.await(TimeMath.nanos(most), TimeUnit.NANOSECONDS);
  }

  public ServerState state() {
    return state;
  }

  public ServerHealth health() {
    return parts.outages().health(state(), parts.config().lease());
  }

  public String id() {
    return id;
  }

  public int running() {
    ServerActors current = running;
    return current == null ? 0 : current.busy();
  }

  public void followDefinitions() {
    if (parts.config().defined() != null) {
      parts.config().defined().follow(parts.queues());
    }
  }

  public ServedQueues queues() {
    return parts.queues();
  }
}
