package io.asynq4j.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Platform threads for handlers. The thread that became idle last is woken first, and only when no
 * other is on its way: so with short handlers a few threads do it all, and a task that waits always
 * has somebody coming for it.
 */
final class WorkerPool implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

  private static final long KEEP_IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How often a thread lets others run before it sleeps: under load the next task is near. */
  private static final int YIELDS = 10;

  private final int size;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether a thread was woken, or made, that has not looked for a task yet. */
  private final AtomicBoolean coming = new AtomicBoolean();

  private final Object lock = new Object();
  private final Deque<Worker> idle = new ArrayDeque<>();
  private int threads;
  private int made;
  private volatile boolean closed;

  WorkerPool(int size) {
    this.size = size;
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
    } else {
      // All are busy: whoever is done first takes it.
      coming.set(false);
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
          run(task);
          task = tasks.poll();
        }
      } while (rest());
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (Throwable e) {
        // A worker must outlive whatever its task does.
        log.error("a task of the worker pool failed", e);
      }
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
      for (int i = 0; i < YIELDS && !woken; i++) {
        Thread.yield();
      }
      long end = System.nanoTime() + KEEP_IDLE_NANOS;
      while (!woken) {
        long left = end - System.nanoTime();
        if (left <= 0 && leaveIdle()) {
          synchronized (lock) {
            threads--;
          }
          return false;
        }
        LockSupport.parkNanos(this, Math.max(left, 1));
        Thread.interrupted();
      }
      return true;
    }

    /** False when somebody has taken this thread to wake it. */
    private boolean leaveIdle() {
      synchronized (lock) {
        return idle.remove(this);
      }
    }
  }
}
