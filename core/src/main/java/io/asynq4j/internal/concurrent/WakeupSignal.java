package io.asynq4j.internal.concurrent;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Tells one thread that there is something to do. Raising it twice is the same as once. */
public final class WakeupSignal {

  /**
   * How often it lets others run before it has itself put to sleep: under load what it waits for is
   * about to happen, and to be woken costs more than a task that does nothing.
   */
  private static final int YIELDS = 20;

  private final AtomicBoolean raised = new AtomicBoolean();
  private volatile @Nullable Thread waiting;

  public void raise() {
    if (!raised.get() && raised.compareAndSet(false, true)) {
      LockSupport.unpark(waiting);
    }
  }

  /**
   * Waits until it is raised, or so long; takes it down. An interrupt does not end it, and is kept:
   * who waits in a loop would otherwise spin.
   */
  // Nothing relies on the scheduler: without the yields it is slower, and as right.
  @SuppressWarnings("ThreadPriorityCheck")
  public void await(long nanos) {
    waiting = Thread.currentThread();
    boolean interrupted = false;
    try {
      long end = System.nanoTime() + nanos;
      for (int i = 0; i < YIELDS && !raised.get(); i++) {
        Thread.yield();
      }
      while (!raised.get()) {
        interrupted |= Thread.interrupted();
        long left = end - System.nanoTime();
        if (left <= 0) {
          break;
        }
        LockSupport.parkNanos(this, left);
      }
    } finally {
      waiting = null;
      raised.set(false);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
