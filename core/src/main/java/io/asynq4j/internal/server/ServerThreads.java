package io.asynq4j.internal.server;

import io.asynq4j.internal.concurrent.ThreadSupervisor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates the threads of a server, and ends them. */
final class ServerThreads {

  private ServerThreads() {}

  /** A pool of a fixed size. */
  static ThreadPoolExecutor pool(int count, String name) {
    return new ThreadPoolExecutor(
        count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(name));
  }

  /** A thread that survives errors until its actor returns. */
  static Thread actor(String name, Runnable actor) {
    return daemons(name).newThread(ThreadSupervisor.untilReturned(actor));
  }

  /**
   * Creates daemon threads.
   *
   * @param name numbered if it ends with a hyphen
   */
  static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name.endsWith("-") ? name + number.incrementAndGet() : name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Waits for the end of a thread, also when interrupted. */
  static void join(Thread thread) {
    if (thread == Thread.currentThread()) {
      // A listener stops the server that calls it.
      return;
    }
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends a pool, and interrupts what has not ended in time. */
  static void shutDown(ExecutorService threads) {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(
          GracefulShutdown.FLUSH_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
