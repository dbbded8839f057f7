package io.asynq4j.internal.redis.store.task;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol;

/**
 * Registers queue names for inspectors. Repeats this periodically for queues in use, since another
 * process may have removed a name meanwhile. Thread-safe.
 *
 * <p>In a cluster the registry may be on another server than the queue. When that server does not
 * answer or refuses, tasks are enqueued anyway, and the name is registered later.
 */
public final class QueueRegistry {

  private static final Logger log = LoggerFactory.getLogger(QueueRegistry.class);

  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How long the first task of a queue waits for the registration. */
  private static final Duration PATIENCE = Duration.ofMillis(250);

  private static final long PAUSE_MILLIS = 500;
  private static final long PAUSE_AFTER_REFUSAL_MILLIS = 5_000;
  private static final long IDLE_SECONDS = 5;

  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final Map<QueueName, Long> registeredAt = new ConcurrentHashMap<>();

  /** Queues whose registration is pending until the server of the registry is reachable. */
  private final Set<QueueName> late = ConcurrentHashMap.newKeySet();

  private final ScheduledThreadPoolExecutor thread;
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile boolean silent;

  public QueueRegistry(RedisCommandExecutor link, BrokerTime time) {
    this.link = link;
    this.time = time;
    this.thread = new ScheduledThreadPoolExecutor(1, DaemonThreadPools.factory("asynq-registry"));
    thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  public void register(QueueName queue) {
    register(queue, link);
  }

  /** Registers a queue over another executor for the same Redis. */
  void register(QueueName queue, RedisCommandExecutor link) {
    Long last = registeredAt.get(queue);
    if (last == null || time.nanoTime() - last > REFRESH_NANOS) {
      int slot = RedisKeys.slot(RedisKeys.prefix(queue));
      if (link.shardOf(slot).equals(link.shardOf(RedisKeys.slot(RedisKeys.QUEUES)))) {
        add(queue, link);
      } else {
        addElsewhere(queue);
      }
    }
  }

  private void add(QueueName queue, RedisCommandExecutor link) {
    long now = time.nanoTime();
    link.callSafe(Protocol.Command.SADD, RedisKeys.QUEUES, queue.value());
    registeredAt.put(queue, now);
  }

  /**
   * Registers on another thread: the server of the registry may be unresponsive while the queue's
   * is not.
   */
  private void addElsewhere(QueueName queue) {
    if (!late.add(queue)) {
      return;
    }
    try {
      CompletableFuture<Void> added = CompletableFuture.runAsync(() -> addOrRepeat(queue), thread);
      added.get(silent ? 0 : PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      silent = true;
      log.debug("queue {} is registered later, when Redis answers; its tasks are enqueued", queue);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("could not register queue " + queue, e.getCause());
    } catch (RuntimeException | Error e) {
      late.remove(queue);
      throw e;
    }
  }

  private void addOrRepeat(QueueName queue) {
    boolean follows = false;
    try {
      add(queue, link);
      silent = false;
      warned.set(false);
    } catch (BrokerException e) {
      if (link.isOpen()) {
        repeatLater(queue, e);
        follows = true;
      }
    } finally {
      if (!follows) {
        late.remove(queue);
      }
    }
  }

  // A failure in it is retried with the next task of the queue.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void repeatLater(QueueName queue, BrokerException failure) {
    if (warned.compareAndSet(false, true)) {
      log.warn(
          "cannot register queue {} ({}); its tasks are enqueued and run, but inspectors do not list it;"
              + " registration is retried until Redis accepts it",
          queue,
          failure.getMessage());
    }
    long pause =
        failure instanceof BrokerUnavailableException ? PAUSE_MILLIS : PAUSE_AFTER_REFUSAL_MILLIS;
    thread.schedule(() -> addOrRepeat(queue), pause, TimeUnit.MILLISECONDS);
  }

  /**
   * Registers a queue at once, even if this process did so recently: its name was found missing.
   */
  public void registerAgain(QueueName queue) {
    registeredAt.remove(queue);
    add(queue, link);
  }

  public void remove(QueueName queue) {
    registeredAt.remove(queue);
    link.callSafe(Protocol.Command.SREM, RedisKeys.QUEUES, queue.value());
  }
}
