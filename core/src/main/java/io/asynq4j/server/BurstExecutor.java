package io.asynq4j.server;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for handlers, where a thread costs little: each goes on with what waits, and ends when
 * nothing does. One that begins a task while others wait sends the next thread ahead, so no task
 * waits for another to end; but a few threads do it all when handlers are short, which is several
 * times as quick as one for each.
 */
final class BurstExecutor implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BurstExecutor.class);

  private final ThreadFactory threads;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether a thread was started that has not looked for a task yet. */
  private final AtomicBoolean coming = new AtomicBoolean();

  private volatile boolean closed;

  BurstExecutor(ThreadFactory threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the executor is closed");
    }
    tasks.add(task);
    try {
      startThread();
    } catch (RuntimeException | Error e) {
      if (tasks.remove(task)) {
        throw e;
      }
      // Otherwise a thread that was there already has taken it.
    }
  }

  private void startThread() {
    if (tasks.isEmpty() || coming.get() || !coming.compareAndSet(false, true)) {
      return;
    }
    try {
      threads.newThread(this::work).start();
    } catch (RuntimeException | Error e) {
      coming.set(false);
      throw e;
    }
  }

  private void work() {
    Thread.currentThread().setContextClassLoader(loader);
    // Before the first look: what comes after it has a thread started for it.
    coming.set(false);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        startThread();
      } catch (RuntimeException | Error e) {
        log.warn("no more threads for handlers; those that are there go on", e);
      }
      try {
        task.run();
      } catch (Throwable e) {
        // What waits must not suffer from what one task does.
        log.error("a task of the executor failed", e);
      }
    }
  }

  /** What waits is still done. */
  @Override
  public void close() {
    closed = true;
  }
}
