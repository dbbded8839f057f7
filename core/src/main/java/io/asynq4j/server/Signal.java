package io.asynq4j.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Tells one thread that there is something to do. Raising it twice is the same as once. */
final class Signal {

  private final AtomicBoolean raised = new AtomicBoolean();
  private volatile @Nullable Thread waiting;

  void raise() {
    if (!raised.get() && raised.compareAndSet(false, true)) {
      LockSupport.unpark(waiting);
    }
  }

  /**
   * Waits until it is raised, or so long; takes it down. An interrupt does not end it, and is kept:
   * who waits in a loop would otherwise spin.
   */
  void await(long nanos) {
    waiting = Thread.currentThread();
    boolean interrupted = false;
    try {
      long end = System.nanoTime() + nanos;
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
