package io.asynq4j.internal.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps threads alive through errors such as a lack of memory or of threads, also when the report
 * of such an error fails for the same reason.
 */
public final class ThreadSupervisor {

  private static final Logger log = LoggerFactory.getLogger(ThreadSupervisor.class);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private ThreadSupervisor() {}

  /**
   * Logs an error; does nothing when even that is not possible. Of no other class of ours: one that
   * is needed for the first time cannot be loaded without memory.
   */
  @SuppressWarnings("EmptyCatch") // Nothing is left that could be done.
  public static void report(Logger logger, String message, Throwable error) {
    try {
      logger.error(message, error);
    } catch (Throwable e) {
      // What has to be done goes on without its log line.
    }
  }

  /** Runs an actor again, after a moment, until it returns by itself. */
  public static Runnable untilReturned(Runnable actor) {
    return () -> {
      while (true) {
        try {
          actor.run();
          return;
        } catch (Throwable e) {
          report(log, "a thread of the server failed and goes on", e);
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    };
  }
}
