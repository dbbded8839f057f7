package io.asynq4j.service.gearman;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that call Redis, a limited number for each server of a cluster ({@link Servers}): calls
 * to a server that does not answer take no threads from calls to others. Thread-safe.
 */
final class ServerThreads {

  private static final int IDLE_SECONDS = 60;

  private final ThreadFactory factory;
  private final int mostPerServer;

  // Both guarded by this.
  private final Map<String, ExecutorService> byServer = new HashMap<>();
  private boolean closed;

  ServerThreads(ThreadFactory factory, int mostPerServer) {
    this.factory = factory;
    this.mostPerServer = mostPerServer;
  }

  /**
   * Runs a task on a thread of a server, as soon as one is free.
   *
   * @throws RejectedExecutionException when closed, or when no thread can be had
   */
  synchronized void execute(String server, Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("closed");
    }
    try {
      byServer.computeIfAbsent(server, any -> pool()).execute(task);
    } catch (Error e) {
      // An event loop must outlive a lack of threads.
      throw new RejectedExecutionException("no thread can be had", e);
    }
  }

  private ExecutorService pool() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            mostPerServer,
            mostPerServer,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Accepts no more tasks, and does not wait for those it has. */
  synchronized void shutdown() {
    closed = true;
    byServer.values().forEach(ExecutorService::shutdown);
  }

  /** Accepts no more tasks, waits this long for those it has, and interrupts the rest. */
  void close(Duration longest) {
    shutdown();
    List<ExecutorService> pools;
    synchronized (this) {
      pools = List.copyOf(byServer.values());
    }
    long until = System.nanoTime() + longest.toNanos();
    try {
      for (ExecutorService pool : pools) {
        boolean unused =
            pool.awaitTermination(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pools.forEach(ExecutorService::shutdownNow);
  }
}
