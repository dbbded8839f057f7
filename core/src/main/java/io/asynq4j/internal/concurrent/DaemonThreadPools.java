package io.asynq4j.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads and pools of them, and ends pools. */
public final class DaemonThreadPools {

  private static final long IDLE_SECONDS = 10;

  private DaemonThreadPools() {}

  /**
   * Returns a factory of daemon threads.
   *
   * @param name numbered if it ends with a hyphen
   */
  public static ThreadFactory factory(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name.endsWith("-") ? name + number.incrementAndGet() : name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Returns a pool whose threads start on demand and end when idle. */
  public static ThreadPoolExecutor upTo(int most, String name) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            factory(name + "-"));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Ends a pool, and interrupts tasks that have not ended in time. */
  public static void shutDown(ExecutorService threads, Duration timeout) {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
