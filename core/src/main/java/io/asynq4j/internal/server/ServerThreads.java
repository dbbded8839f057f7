package io.asynq4j.internal.server;

import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Creates the threads of a server, and ends them. */
final class ServerThreads {

  private ServerThreads() {}

  /** A pool of a fixed size. */
  static ThreadPoolExecutor pool(int count, String name) {
    return new ThreadPoolExecutor(
        count,
        count,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        DaemonThreadPools.factory(name));
  }

  /** A thread that survives errors until its actor returns. */
  static Thread actor(String name, Runnable actor) {
    return DaemonThreadPools.factory(name).newThread(ThreadSupervisor.untilReturned(actor));
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

  /** Ends a pool, and interrupts tasks that have not ended in time. */
  static void shutDown(ExecutorService threads) {
    DaemonThreadPools.shutDown(threads, GracefulShutdown.FLUSH_TIMEOUT);
  }
}
