package io.asynq4j.internal.concurrent;

/** A loop on a separate thread, which survives errors until the loop returns. Thread-safe. */
public abstract class Actor implements Runnable {

  protected final WakeupSignal signal;
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * @param signal ends the waits of the loop
   */
  protected Actor(String threadName, WakeupSignal signal) {
    this.signal = signal;
    this.thread =
        DaemonThreadPools.factory(threadName).newThread(ThreadSupervisor.untilReturned(this));
  }

  public final void start() {
    thread.start();
  }

  /** Makes the loop return soon. */
  public final void stop() {
    stopped = true;
    signal.raise();
  }

  protected final boolean isStopped() {
    return stopped;
  }

  /** Waits until the loop has returned, also when interrupted. */
  public final void join() {
    if (thread == Thread.currentThread()) {
      // A listener stops the server that calls it.
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
