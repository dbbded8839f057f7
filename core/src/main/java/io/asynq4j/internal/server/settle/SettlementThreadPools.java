package io.asynq4j.internal.server.settle;

import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.text.SafeLog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that settle tasks: a few for each Redis server, so that an unresponsive one delays
 * only its own queues. Thread-safe.
 */
public final class SettlementThreadPools {

  private static final Logger log = LoggerFactory.getLogger(SettlementThreadPools.class);

  private static final int THREADS = 4;

  /** Maximum number of resting threads that are replaced, so that other queues are not delayed. */
  private static final int MOST_RESTING = 16;

  /** Addresses of servers change over time: with more groups, idle threads end. */
  private static final int MOST_GROUPS = 64;

  private static final long IDLE_SECONDS = 30;

  private static final class Group {
    final ThreadPoolExecutor pool;
    private int resting;

    Group(ThreadPoolExecutor pool) {
      this.pool = pool;
    }

    /** Replaces resting threads by others. */
    synchronized void rests(int more) {
      resting += more;
      int size = THREADS + Math.min(resting, MOST_RESTING);
      if (size > pool.getMaximumPoolSize()) {
        pool.setMaximumPoolSize(size);
        pool.setCorePoolSize(size);
      } else {
        pool.setCorePoolSize(size);
        pool.setMaximumPoolSize(size);
      }
    }
  }

  private final Function<String, ThreadPoolExecutor> pools;
  private final Map<String, Group> groups = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public static SettlementThreadPools createdBy(ThreadFactory factory) {
    return new SettlementThreadPools(shard -> pool(factory));
  }

  /**
   * @param pools creates the threads for a Redis server
   */
  public SettlementThreadPools(Function<String, ThreadPoolExecutor> pools) {
    this.pools = pools;
  }

  /** Returns the threads for a Redis server. Fails if none exists and none can be started. */
  ThreadPoolExecutor of(String shard) {
    return group(shard).pool;
  }

  private Group group(String shard) {
    Group known = groups.get(shard);
    if (known != null) {
      return known;
    }
    Group group = groups.computeIfAbsent(shard, any -> started(pools.apply(shard)));
    if (groups.size() > MOST_GROUPS) {
      groups.values().forEach(each -> each.pool.allowCoreThreadTimeOut(true));
    }
    if (closed) {
      group.pool.shutdown();
    }
    return group;
  }

  /** Starts the threads, or at least one: later there may be a lack of threads. */
  private static Group started(ThreadPoolExecutor pool) {
    try {
      pool.prestartAllCoreThreads();
    } catch (RuntimeException | Error e) {
      if (pool.getPoolSize() == 0) {
        pool.shutdown();
        throw e;
      }
      SafeLog.error(log, "could not start all settlement threads; the others continue", e);
    }
    return new Group(pool);
  }

  /** Runs a task for a Redis server; with a lack of threads, when an existing one is free. */
  public void execute(String shard, Runnable task) {
    ThreadPoolExecutor pool = of(shard);
    try {
      pool.execute(task);
    } catch (OutOfMemoryError e) {
      if (pool.getPoolSize() == 0) {
        throw e;
      }
      pool.getQueue().add(task);
      if (pool.isShutdown() && pool.remove(task)) {
        throw e;
      }
    }
  }

  private static ThreadPoolExecutor pool(ThreadFactory factory) {
    return new ThreadPoolExecutor(
        THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
  }

  /** Pauses the calling thread, which is one of these. Returns false if it was interrupted. */
  boolean rest(String shard, long nanos) {
    Group group = group(shard);
    try {
      group.rests(1);
    } catch (RuntimeException | Error e) {
      log.debug("could not start a substitute for a resting thread", e);
    }
    try {
      return InterruptibleSleep.sleepNanos(nanos);
    } finally {
      group.rests(-1);
    }
  }

  /** Rejects new tasks. Returns the pools, in which tasks may still run. */
  public List<? extends ExecutorService> close() {
    closed = true;
    List<ThreadPoolExecutor> all = groups.values().stream().map(group -> group.pool).toList();
    all.forEach(ExecutorService::shutdown);
    return all;
  }
}
