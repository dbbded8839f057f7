package io.asynq4j.service.executor;

import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that call Redis, a limited number for each server of a cluster ({@link
 * RedisServerLocator}): calls to a server that does not respond take no threads from calls to
 * others. From its first task on, a server keeps one thread, which runs its tasks when no other
 * thread can be started. Thread-safe.
 */
public final class ServerThreadPools {

  private static final Logger log = LoggerFactory.getLogger(ServerThreadPools.class);

  private static final String NO_THREAD =
      SafeLog.text("no thread is available for calls to Redis; retrying");
  private static final String CALL_FAILED =
      SafeLog.text("a call to Redis failed; later calls are not affected");

  private static final int IDLE_SECONDS = 60;

  /** Beyond this many servers, idle threads end: addresses of servers change over time. */
  private static final int MAX_SERVERS = 64;

  private final ThreadFactory factory;
  private final int maxPerServer;

  // Both guarded by this.
  private final Map<String, ThreadPoolExecutor> byServer = new HashMap<>();
  private boolean closed;

  /**
   * Creates pools of daemon threads.
   *
   * @param threadName name of the threads; numbered if it ends with a hyphen
   */
  public ServerThreadPools(String threadName, int maxPerServer) {
    this(DaemonThreadPools.factory(threadName), maxPerServer);
  }

  public ServerThreadPools(ThreadFactory factory, int maxPerServer) {
    this.factory = factory;
    this.maxPerServer = maxPerServer;
  }

  /**
   * Runs a task on a thread of a server, as soon as one is free.
   *
   * @throws RejectedExecutionException when closed, or when the server has no thread and none can
   *     be started
   */
  public synchronized void execute(String server, Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("closed");
    }
    Runnable guarded = () -> run(task);
    try {
      poolOf(server).execute(guarded);
    } catch (Error e) {
      // An event loop must survive a lack of threads.
      ThreadPoolExecutor pool = byServer.get(server);
      if (pool == null || pool.getPoolSize() == 0) {
        throw new RejectedExecutionException("no thread can be started", e);
      }
      addWaiting(pool, guarded);
    }
  }

  /**
   * Starts threads for tasks that wait because none could be started before. To be called
   * periodically where tasks may take very long.
   */
  public synchronized void catchUp() {
    for (ThreadPoolExecutor pool : byServer.values()) {
      if (!closed && !pool.getQueue().isEmpty() && pool.getPoolSize() < maxPerServer) {
        try {
          // The new thread continues with the tasks that wait.
          pool.execute(() -> {});
        } catch (Error e) {
          SafeLog.error(log, NO_THREAD, e);
        }
      }
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // The thread must survive: it may be impossible to start another.
      SafeLog.error(log, CALL_FAILED, e);
    }
  }

  private ThreadPoolExecutor poolOf(String server) {
    ThreadPoolExecutor pool = byServer.get(server);
    if (pool == null) {
      if (byServer.size() >= MAX_SERVERS) {
        byServer.values().removeIf(ServerThreadPools::isEnded);
      }
      pool = newPool();
      byServer.put(server, pool);
    }
    return pool;
  }

  /** Ends the threads of a server that has no tasks, and returns whether it has none. */
  private static boolean isEnded(ThreadPoolExecutor pool) {
    boolean isIdle = pool.getActiveCount() == 0 && pool.getQueue().isEmpty();
    if (isIdle) {
      pool.shutdown();
    }
    return isIdle;
  }

  private ThreadPoolExecutor newPool() {
    return new ThreadPoolExecutor(
        1,
        maxPerServer,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new Tasks(),
        factory,
        (task, pool) -> addWaiting(pool, task));
  }

  /** Adds a task that a thread runs when it is free. */
  private static void addWaiting(ThreadPoolExecutor pool, Runnable task) {
    ((Tasks) pool.getQueue()).addWaiting(task);
  }

  /** Lets a pool start a thread when none is idle, and queue tasks when it has the maximum. */
  private static final class Tasks extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    /** Returns false when no thread is idle: then the pool starts one if it is allowed to. */
    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }

    void addWaiting(Runnable task) {
      boolean unused = super.offer(task);
    }
  }

  /** Accepts no more tasks, and does not wait for those it has. */
  public synchronized void shutdown() {
    closed = true;
    byServer.values().forEach(ThreadPoolExecutor::shutdown);
  }

  /** Accepts no more tasks, waits up to this time for those it has, and interrupts the rest. */
  public void close(Duration timeout) {
    shutdown();
    List<ThreadPoolExecutor> pools;
    synchronized (this) {
      pools = List.copyOf(byServer.values());
    }
    long until = System.nanoTime() + timeout.toNanos();
    try {
      for (ThreadPoolExecutor pool : pools) {
        boolean unused =
            pool.awaitTermination(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pools.forEach(ThreadPoolExecutor::shutdownNow);
  }
}
