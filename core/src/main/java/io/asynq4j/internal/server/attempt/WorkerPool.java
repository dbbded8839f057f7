package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
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
 * Threads for handlers. The thread that became idle last is woken first, and only if no other is
 * being woken. So with short handlers a few threads run all tasks, and a waiting task always has a
 * thread that will take it.
 *
 * <p>If all threads are busy, helpers (virtual threads) run the waiting tasks, and end when none is
 * left. A platform thread is faster, since it stays awake for a moment when idle; but with
 * thousands of blocking handlers, virtual threads need less memory. Thread-safe.
 */
class WorkerPool implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

  private static final String NOT_WOKEN =
      SafeLog.text("could not wake another worker; running workers continue");
  private static final String TASK_FAILED = SafeLog.text("a task of the worker pool failed");
  private static final String WORKER_FAILED = SafeLog.text("a worker failed and continues");
  private static final String TOO_FEW_THREADS =
      SafeLog.text("could not start more threads for handlers; existing threads continue");

  static final Duration KEEP_IDLE = Duration.ofSeconds(30);

  /** Pause after an error of the pool itself, such as a lack of memory. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Number of yields before a thread sleeps. Under load the next task is as close as a reply of
   * Redis, and a wakeup takes as long as many small tasks. With few tasks, staying awake only
   * wastes a processor. So each thread adapts to how long it has waited.
   */
  private static final int LEAST_YIELDS = 10;

  private static final int MOST_YIELDS = 300;

  /** About the duration of the most yields: after a longer wait, they were useless. */
  private static final long SHORT_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private final int size;
  private final @Nullable ThreadFactory helpers;
  private final long keepIdleNanos;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether a thread was woken or started that has not polled for a task yet. */
  private final AtomicBoolean coming = new AtomicBoolean();

  private final Object lock = new Object();
  private final Deque<Worker> idle = new ArrayDeque<>();
  private int threads;
  private int created;
  private volatile boolean closed;

  /**
   * @param size maximum number of platform threads
   * @param helpers creates further threads; if null, tasks wait for a platform thread
   * @param keepIdle idle time after which a platform thread ends
   */
  WorkerPool(int size, @Nullable ThreadFactory helpers, Duration keepIdle) {
    this.size = size;
    this.helpers = helpers;
    this.keepIdleNanos = keepIdle.toNanos();
  }

  /** Throws if there is no thread and none can be started; the task is then not run later. */
  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the pool is closed");
    }
    tasks.add(task);
    try {
      wakeOne();
    } catch (RuntimeException | Error e) {
      if (tasks.remove(task)) {
        throw e;
      }
      // A thread has taken the task meanwhile.
    }
  }

  /**
   * Fails only if no thread exists that would take the task later. That no thread is coming is
   * decided with the lock held: a worker that becomes idle afterwards polls once more.
   */
  private void wakeOne() {
    if (tasks.isEmpty() || coming.get() || !coming.compareAndSet(false, true)) {
      return;
    }
    Worker next;
    synchronized (lock) {
      next = idle.pollFirst();
      if (next == null && threads < size && startWorker()) {
        return;
      }
      if (next == null && helpers == null) {
        // The first worker that becomes idle takes it.
        coming.set(false);
      }
    }
    if (next != null) {
      next.wake();
    } else if (helpers != null) {
      startHelper(helpers);
    }
  }

  /**
   * Called by a thread that has a task, which runs even if no other thread can be woken. Also to be
   * called periodically, for tasks for which no thread could be started.
   */
  void wakeAnother() {
    try {
      wakeOne();
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_WOKEN, e);
    }
  }

  private void startHelper(ThreadFactory factory) {
    try {
      factory.newThread(this::helpOut).start();
    } catch (RuntimeException | Error e) {
      synchronized (lock) {
        Worker next = idle.pollFirst();
        if (next != null) {
          next.wake();
        } else {
          coming.set(false);
          if (threads == 0) {
            throw e;
          }
        }
      }
      SafeLog.error(log, TOO_FEW_THREADS, e);
    }
  }

  private void helpOut() {
    try {
      Thread.currentThread().setContextClassLoader(loader);
    } finally {
      // Before the first poll: a task that is added later wakes another thread.
      coming.set(false);
    }
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      wakeAnother();
      run(task);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // A worker must survive any failure of its task.
      SafeLog.error(log, TASK_FAILED, e);
    }
  }

  /** Returns false if no thread can be started: a helper or an existing thread takes the task. */
  private boolean startWorker() {
    try {
      start(new Worker(created + 1));
      created++;
      threads++;
      return true;
    } catch (RuntimeException | Error e) {
      if (threads == 0 && helpers == null) {
        coming.set(false);
        throw e;
      }
      return false;
    }
  }

  void start(Thread worker) {
    worker.start();
  }

  /** Rejects new tasks; queued tasks still run. */
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
      boolean stays = true;
      while (stays) {
        try {
          work();
          stays = rest();
        } catch (Throwable e) {
          // An error of the pool, such as a lack of memory: those of tasks are caught.
          leaveIdle();
          SafeLog.error(log, WORKER_FAILED, e);
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    private void work() {
      Runnable task = tasks.poll();
      if (woken) {
        woken = false;
        coming.set(false);
      }
      while (task != null) {
        wakeAnother();
        WorkerPool.run(task);
        inARow++;
        task = tasks.poll();
      }
    }

    /** Waits until there may be a task. Returns false if the thread was idle for too long. */
    // Correctness does not depend on the yields: without them it is only slower.
    @SuppressWarnings("ThreadPriorityCheck")
    private boolean rest() {
      synchronized (lock) {
        if (closed && tasks.isEmpty()) {
          threads--;
          return false;
        }
        idle.addFirst(this);
      }
      // A task may have been added after the last poll, before this thread counted as idle.
      if (!tasks.isEmpty() && leaveIdle()) {
        return true;
      }
      long began = System.nanoTime();
      for (int i = 0; i < yields && !woken; i++) {
        Thread.yield();
      }
      while (!woken) {
        long left = began + keepIdleNanos - System.nanoTime();
        if (left <= 0 && leaveForGood()) {
          return false;
        }
        LockSupport.parkNanos(this, Math.max(left, 1));
        Thread.interrupted();
      }
      adaptYields(System.nanoTime() - began);
      return true;
    }

    /** A single task before the wait is no load: tasks arrive one by one as they are enqueued. */
    private void adaptYields(long waitedNanos) {
      if (waitedNanos > SHORT_WAIT_NANOS) {
        yields = Math.max(yields / 2, LEAST_YIELDS);
      } else if (inARow > 1) {
        yields = Math.min(yields * 2, MOST_YIELDS);
      }
      inARow = 0;
    }

    /** Returns false if another thread has taken this one to wake it. */
    private boolean leaveIdle() {
      synchronized (lock) {
        return idle.remove(this);
      }
    }

    /**
     * Leaves, and makes room for another thread in the same step: in between, a task would find
     * neither this thread nor room for a new one.
     */
    private boolean leaveForGood() {
      synchronized (lock) {
        boolean left = idle.remove(this);
        if (left) {
          threads--;
        }
        return left;
      }
    }
  }
}
