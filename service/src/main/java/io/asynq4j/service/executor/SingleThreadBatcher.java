package io.asynq4j.service.executor;

import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that deals with all that has gathered since it last looked, in its order: alone at low
 * load, many together at high load. Thread-safe.
 */
public final class SingleThreadBatcher<T> {

  private static final Logger log = LoggerFactory.getLogger(SingleThreadBatcher.class);

  private final int most;
  private final Consumer<List<T>> work;
  private final Thread thread;

  // Both guarded by this.
  private final Deque<T> waiting = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param most how many it deals with together
   * @param work must answer for each item, whatever happens
   */
  public SingleThreadBatcher(String name, int most, Consumer<List<T>> work) {
    this.most = most;
    this.work = work;
    this.thread = new Thread(this::run, "asynq-gearman-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** False when the desk is closed. */
  public synchronized boolean add(T item) {
    if (closed) {
      return false;
    }
    waiting.add(item);
    notifyAll();
    return true;
  }

  private void run() {
    List<T> batch = new ArrayList<>();
    while (take(batch)) {
      try {
        work.accept(batch);
      } catch (Throwable e) {
        // Also a lack of memory or of threads: nobody else deals with what comes next.
        SafeLog.error(log, "requests of gearman workers or clients could not be dealt with", e);
      }
      batch.clear();
    }
  }

  /** False when there is nothing left and nothing more will come. */
  private synchronized boolean take(List<T> batch) {
    try {
      while (waiting.isEmpty()) {
        if (closed) {
          return false;
        }
        wait();
      }
    } catch (InterruptedException e) {
      return false;
    }
    while (!waiting.isEmpty() && batch.size() < most) {
      batch.add(waiting.remove());
    }
    return true;
  }

  /** Takes nothing more, and waits so long until what it has is dealt with. */
  public void close(Duration most) {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join(Math.max(1, most.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      thread.interrupt();
    }
  }
}
