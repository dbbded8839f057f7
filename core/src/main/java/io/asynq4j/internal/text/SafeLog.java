package io.asynq4j.internal.text;

import org.slf4j.Logger;

/** Logs errors on threads that must live on, also when memory for the log line is lacking. */
public final class SafeLog {

  private SafeLog() {}

  /** Has this class loaded, to be called early: without memory that is no longer possible. */
  public static void prepare() {
    // Called, it is loaded.
  }

  /**
   * Logs a failure by its message; does nothing when even that is not possible.
   *
   * @param format with a place for the subject and one for the message
   */
  @SuppressWarnings("EmptyCatch") // Nothing is left that could be done.
  public static void warn(Logger logger, String format, String subject, Throwable failure) {
    try {
      logger.warn(format, subject, failure.getMessage());
    } catch (Throwable e) {
      // What has to be done goes on without its log line.
    }
  }

  /** Logs an error; does nothing when even that is not possible. */
  @SuppressWarnings("EmptyCatch") // Nothing is left that could be done.
  public static void error(Logger logger, String message, Throwable error) {
    try {
      logger.error(message, error);
    } catch (Throwable e) {
      // What has to be done goes on without its log line.
    }
  }
}
