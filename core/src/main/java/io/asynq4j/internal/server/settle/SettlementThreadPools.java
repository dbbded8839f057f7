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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that settle tasks: a few for each Redis server, so that an unresponsive one delays
 * only its own queues. Thread-safe.
 */
public final class SettlementThreadPools {

  private static final Logger log = LoggerFactory.getLogger(SettlementThreadPools.class);

  private static final String TOO_FEW_THREADS =
      SafeLog.text("could not start all settlement threads; the others continue");

  private static final int THREADS = 4;

  /** Maximum number of resting threads that are replaced, so that other queues are not delayed. */
  private static final int MOST_RESTING = 16;

  /** Addresses of servers change over time: with more groups, idle threads end. */
  private static final int MOST_GROUPS = 64;

  private static final long IDLE_SECONDS = 30;

  /** The threads of one Redis server. */
  static final class Group extends ThreadPoolExecutor {
    private int resting;

    Group(ThreadFactory factory) {
      super(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    }

    /** Replaces resting threads by others. */
    synchronized void rests(int more) {
      resting += more;
      int size = THREADS + Math.min(resting, MOST_RESTING);
      // The core size must not exceed the maximum at any time.
      setCorePoolSize(Math.min(size, getMaximumPoolSize()));
      setMaximumPoolSize(size);
      setCorePoolSize(size);
    }
  }

  private final ThreadFactory factory;
  private final Map<String, Group> groups = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public SettlementThreadPools(ThreadFactory factory) {
    this.factory = factory;
  }

  /** Returns the threads for a Redis server. Fails if none exists and none can be started. */
  Group of(String shard) {
    Group known = groups.get(shard);
    if (known != null) {
      return known;
    }
    Group group = groups.computeIfAbsent(shard, any -> started());
    if (groups.size() > MOST_GROUPS) {
      groups.values().forEach(each -> each.allowCoreThreadTimeOut(true));
    }
    if (closed) {
      group.shutdown();
    }
    return group;
  }

  /** Starts the threads, or at least one: later there may be a lack of threads. */
  private Group started() {
    Group group = new Group(factory);
    try {
      group.prestartAllCoreThreads();
    } catch (RuntimeException | Error e) {
      if (group.getPoolSize() == 0) {
        group.shutdown();
        throw e;
      }
      SafeLog.error(log, TOO_FEW_THREADS, e);
    }
    return group;
  }

  /** Runs a task for a Redis server; with a lack of threads, when an existing one is free. */
  public void execute(String shard, Runnable task) {
    Group group = of(shard);
    try {
      group.execute(task);
    } catch (OutOfMemoryError e) {
      if (group.getPoolSize() == 0) {
        throw e;
      }
      group.getQueue().add(task);
      if (group.isShutdown() && group.remove(task)) {
        throw e;
      }
    }
  }

  /** Replaces threads that ended for lack of memory. To be called periodically. */
  void catchUp() {
    for (Group group : groups.values()) {
      if (!group.getQueue().isEmpty()) {
        group.prestartCoreThread();
      }
    }
  }

  /** Pauses the calling thread, which is one of these. Returns false if it was interrupted. */
  boolean rest(String shard, long nanos) {
    Group group = of(shard);
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
    groups.values().forEach(ExecutorService::shutdown);
    return List.copyOf(groups.values());
  }
}
