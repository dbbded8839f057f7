package io.asynq4j.internal.concurrent;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Wakes one thread when there is work. Raising it twice has the same effect as once. */
public final class WakeupSignal {

  /**
   * Number of yields before the thread sleeps: under load the awaited event is close, and a wakeup
   * costs more than a trivial task.
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
   * Waits until the signal is raised or the time has passed, and clears it. An interrupt does not
   * end the wait and is preserved; otherwise a loop around it would spin.
   */
  // Correctness does not depend on the scheduler: without the yields it is only slower.
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
