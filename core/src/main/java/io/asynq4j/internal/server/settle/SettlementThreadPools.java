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
 * The threads that settle: a few for each server of Redis, so that a silent one keeps only its own
 * queues waiting. Thread-safe.
 */
public final class SettlementThreadPools {

  private static final Logger log = LoggerFactory.getLogger(SettlementThreadPools.class);

  private static final int THREADS = 4;

  /** So many queues whose settlements fail may rest at once without taking threads from others. */
  private static final int MOST_RESTING = 16;

  /** Addresses of servers change over time: with more of them, threads end when they are idle. */
  private static final int MOST_GROUPS = 64;

  private static final long IDLE_SECONDS = 30;

  private static final class Group {
    final ThreadPoolExecutor pool;
    private int resting;

    Group(ThreadPoolExecutor pool) {
      this.pool = pool;
    }

    /** Another thread takes the place of one that rests. */
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
   * @param pools makes the threads of a server
   */
  public SettlementThreadPools(Function<String, ThreadPoolExecutor> pools) {
    this.pools = pools;
  }

  /** For queues of this server; fails when its threads are not there and cannot be started. */
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

  /** With its threads, or one at least: when settlements come, there may be none to be had. */
  private static Group started(ThreadPoolExecutor pool) {
    try {
      pool.prestartAllCoreThreads();
    } catch (RuntimeException | Error e) {
      if (pool.getPoolSize() == 0) {
        pool.shutdown();
        throw e;
      }
      SafeLog.error(log, "not all threads that settle tasks could be started", e);
    }
    return new Group(pool);
  }

  /** Runs something for queues of this server; where no more threads can be had, a little later. */
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

  /** Has the calling thread, which is one of these, wait; false when it was interrupted. */
  boolean rest(String shard, long nanos) {
    Group group = group(shard);
    try {
      group.rests(1);
    } catch (RuntimeException | Error e) {
      log.debug("no thread to be had for one that rests", e);
    }
    try {
      return InterruptibleSleep.sleepNanos(nanos);
    } finally {
      group.rests(-1);
    }
  }

  /** Takes nothing more. Returns what may still run. */
  public List<? extends ExecutorService> close() {
    closed = true;
    List<ThreadPoolExecutor> all = groups.values().stream().map(group -> group.pool).toList();
    all.forEach(ExecutorService::shutdown);
    return all;
  }
}
