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
 * Threads for handlers. The one that became idle last is woken first, and only when no other is on
 * its way: so with short handlers a few threads do it all, and a task that waits always has
 * somebody coming for it.
 *
 * <p>When all of them are busy, virtual threads help out, where there are some. Such a one goes on
 * with what waits, and ends when nothing does. A pool's own thread is quicker, since it stays awake
 * for a moment when it has nothing to do; but with thousands of handlers that block, memory counts.
 */
class WorkerPool implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

  private static final Duration KEEP_IDLE = Duration.ofSeconds(30);

  /** Between two tries after an error that is not the task's, such as a lack of memory. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

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
  private final long keepIdleNanos;
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
    this(size, helpers, KEEP_IDLE);
  }

  /**
   * @param keepIdle after how long without a task a thread of its own ends
   */
  WorkerPool(int size, @Nullable ThreadFactory helpers, Duration keepIdle) {
    this.size = size;
    this.helpers = helpers;
    this.keepIdleNanos = keepIdle.toNanos();
  }

  /** Throws when no thread is there and none can be had; then the task is not run later either. */
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
      // A thread that was busy has taken it meanwhile.
    }
  }

  /**
   * Fails only when there is no thread at all that would come for the task later. Whether nobody is
   * coming is decided with the lock held: a worker that becomes idle afterwards looks once more.
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
        // The worker that is done first takes it.
        coming.set(false);
      }
    }
    if (next != null) {
      next.wake();
    } else if (helpers != null) {
      startHelper(helpers);
    }
  }

  /** Called with a task in hand, which runs whether or not another thread can be woken. */
  private void wakeAnother() {
    try {
      wakeOne();
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not wake another worker; those that are awake go on", e);
    }
  }

  private void startHelper(ThreadFactory factory) {
    try {
      factory.newThread(this::helpOut).start();
    } catch (RuntimeException | Error e) {
      Worker next;
      synchronized (lock) {
        next = idle.pollFirst();
        if (next == null) {
          coming.set(false);
        }
      }
      if (next != null) {
        next.wake();
      } else if (isWithoutThreads()) {
        throw e;
      }
      SafeLog.error(log, "no more threads for handlers; those that are there go on", e);
    }
  }

  private boolean isWithoutThreads() {
    synchronized (lock) {
      return threads == 0;
    }
  }

  private void helpOut() {
    try {
      Thread.currentThread().setContextClassLoader(loader);
    } finally {
      // Before the first look: what comes after it has somebody called for it.
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
      // A worker must outlive whatever its task does.
      SafeLog.error(log, "a task of the worker pool failed", e);
    }
  }

  /**
   * False when the system gives no more threads: then a helper comes, or a thread that is there.
   */
  private boolean startWorker() {
    try {
      start(new Worker(made + 1));
      made++;
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

  /**
   * Starts a thread for tasks that none could be started for when they came. To be called from time
   * to time.
   */
  void catchUp() {
    if (!tasks.isEmpty()) {
      wakeAnother();
    }
  }

  void start(Thread worker) {
    worker.start();
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
      boolean stays = true;
      while (stays) {
        try {
          work();
          stays = rest();
        } catch (Throwable e) {
          // Not the task's, whose errors are caught: such as a lack of memory, here.
          leaveIdle();
          SafeLog.error(log, "a worker failed and goes on", e);
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
        long left = began + keepIdleNanos - System.nanoTime();
        if (left <= 0 && leaveForGood()) {
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

    /**
     * The same, and makes room for another thread in the same step: in between, a task would find
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
