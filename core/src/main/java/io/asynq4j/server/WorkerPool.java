package io.asynq4j.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for handlers. The one that became idle last is woken first, and only when no other is on
 * its way: so with short handlers a few threads do it all, and a task that waits always has
 * somebody coming for it.
 *
 * <p>When all of them are busy, virtual threads help out, where there are some. Such a one goes on
 * with what waits, and ends when nothing does. A pool's own thread is quicker, since it stays awake
 * for a moment when it has nothing to do; but with thousands of handlers that block, memory counts.
 */
final class WorkerPool implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

  private static final long KEEP_IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * How often a thread lets others run before it sleeps. Under load the next task is as near as an
   * answer of Redis, and to be woken takes as long as to handle many small ones; where tasks come
   * now and then, to stay awake for them would only use up a processor. So each thread learns from
   * how long it has waited.
   */
  private static final int LEAST_YIELDS = 10;

  private static final int MOST_YIELDS = 300;

  /** About as long as the most yields take: after a longer wait, it was no use to stay awake. */
  private static final long SHORT_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final int size;
  private final @Nullable ThreadFactory helpers;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether a thread was woken, or made, that has not looked for a task yet. */
  private final AtomicBoolean coming = new AtomicBoolean();

  private final Object lock = new Object();
  private final Deque<Worker> idle = new ArrayDeque<>();
  private int threads;
  private int made;
  private volatile boolean closed;

  /**
   * @param size how many threads of its own it has at most
   * @param helpers makes the threads beyond; null = whoever is done first takes what waits
   */
  WorkerPool(int size, @Nullable ThreadFactory helpers) {
    this.size = size;
    this.helpers = helpers;
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the pool is closed");
    }
    tasks.add(task);
    wakeOne();
  }

  private void wakeOne() {
    if (tasks.isEmpty() || coming.get() || !coming.compareAndSet(false, true)) {
      return;
    }
    Worker next = null;
    synchronized (lock) {
      next = idle.pollFirst();
      if (next == null && threads < size) {
        startWorker();
        return;
      }
    }
    if (next != null) {
      next.wake();
    } else if (helpers != null) {
      startHelper(helpers);
    } else {
      // Whoever is done first takes it.
      coming.set(false);
    }
  }

  private void startHelper(ThreadFactory factory) {
    try {
      factory.newThread(this::helpOut).start();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.warn("no more threads for handlers; those that are there go on", e);
      coming.set(false);
    }
  }

  private void helpOut() {
    Thread.currentThread().setContextClassLoader(loader);
    // Before the first look: what comes after it has somebody called for it.
    coming.set(false);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      wakeOne();
      run(task);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // A worker must outlive whatever its task does.
      log.error("a task of the worker pool failed", e);
    }
  }

  private void startWorker() {
    try {
      new Worker(++made).start();
      threads++;
    } catch (OutOfMemoryError e) {
      // The system gives no more threads: those that are there go on.
      coming.set(false);
      if (threads == 0) {
        throw e;
      }
    }
  }

  /** What is queued is still done. */
  @Override
  public void close() {
    closed = true;
    synchronized (lock) {
      idle.forEach(Worker::wake);
      idle.clear();
    }
  }

  private final class Worker extends Thread {
    private volatile boolean woken = true;
    private int yields = LEAST_YIELDS;
    private int inARow;

    Worker(int number) {
      super(null, null, "asynq-worker-" + number, 0, /* inheritThreadLocals= */ false);
      setDaemon(true);
      setContextClassLoader(loader);
    }

    void wake() {
      woken = true;
      LockSupport.unpark(this);
    }

    @Override
    public void run() {
      do {
        Runnable task = tasks.poll();
        if (woken) {
          woken = false;
          coming.set(false);
        }
        while (task != null) {
          wakeOne();
          WorkerPool.run(task);
          inARow++;
          task = tasks.poll();
        }
      } while (rest());
    }

    /** Waits until there may be something to do; false when there was nothing for long. */
    // Nothing relies on the scheduler: without the yields it is slower, and as right.
    @SuppressWarnings("ThreadPriorityCheck")
    private boolean rest() {
      synchronized (lock) {
        if (closed && tasks.isEmpty()) {
          threads--;
          return false;
        }
        idle.addFirst(this);
      }
      // What came after the last look, while this thread did not count as idle.
      if (!tasks.isEmpty() && leaveIdle()) {
        return true;
      }
      long began = System.nanoTime();
      for (int i = 0; i < yields && !woken; i++) {
        Thread.yield();
      }
      while (!woken) {
        long left = began + KEEP_IDLE_NANOS - System.nanoTime();
        if (left <= 0 && leaveIdle()) {
          synchronized (lock) {
            threads--;
          }
          return false;
        }
        LockSupport.parkNanos(this, Math.max(left, 1));
        Thread.interrupted();
      }
      learn(System.nanoTime() - began);
      return true;
    }

    /** A single task before the wait is no load: such come one by one, as they are enqueued. */
    private void learn(long waitedNanos) {
      if (waitedNanos > SHORT_WAIT_NANOS) {
        yields = Math.max(yields / 2, LEAST_YIELDS);
      } else if (inARow > 1) {
        yields = Math.min(yields * 2, MOST_YIELDS);
      }
      inARow = 0;
    }

    /** False when somebody has taken this thread to wake it. */
    private boolean leaveIdle() {
      synchronized (lock) {
        return idle.remove(this);
      }
    }
  }
}
