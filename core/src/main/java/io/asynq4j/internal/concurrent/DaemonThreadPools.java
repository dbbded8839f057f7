package io.asynq4j.internal.concurrent;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates pools whose threads start on demand and end when idle. */
public final class DaemonThreadPools {

  private static final long IDLE_SECONDS = 10;

  private DaemonThreadPools() {}

  public static ThreadPoolExecutor upTo(int most, String name) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }
}
