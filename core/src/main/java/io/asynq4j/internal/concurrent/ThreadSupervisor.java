package io.asynq4j.internal.concurrent;

import io.asynq4j.internal.text.SafeLog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps threads alive through errors such as a lack of memory or threads, even if reporting the
 * error fails for the same reason.
 */
public final class ThreadSupervisor {

  private static final Logger log = LoggerFactory.getLogger(ThreadSupervisor.class);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final String FAILED = SafeLog.text("a background thread failed and continues");

  private ThreadSupervisor() {}

  /** Runs an actor again after a failure, with a short delay, until it returns normally. */
  public static Runnable untilReturned(Runnable actor) {
    // Loaded before it is needed: without memory that is no longer possible.
    SafeLog.prepare();
    return () -> {
      while (true) {
        try {
          actor.run();
          return;
        } catch (Throwable e) {
          pauseAfter(e);
        }
      }
    };
  }

  /** Never throws, so that the thread survives whatever cannot be allocated or linked here. */
  @SuppressWarnings("EmptyCatch") // no further reaction is possible
  private static void pauseAfter(Throwable failure) {
    try {
      SafeLog.error(log, FAILED, failure);
      LockSupport.parkNanos(PAUSE_NANOS);
    } catch (Throwable e) {
      // The actor runs again at once.
    }
  }
}
