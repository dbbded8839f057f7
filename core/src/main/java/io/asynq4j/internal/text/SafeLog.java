package io.asynq4j.internal.text;

import org.slf4j.Logger;

/** Logs errors on threads that must survive, even if memory for the log line is missing. */
public final class SafeLog {

  private SafeLog() {}

  /** Loads this class. Called early, since loading is no longer possible without memory. */
  public static void prepare() {
    // The call itself loads the class.
  }

  /**
   * Logs a failure by its message; does nothing if that fails too.
   *
   * @param format with a place for the subject and one for the message
   */
  @SuppressWarnings("EmptyCatch") // no further reaction is possible
  public static void warn(Logger logger, String format, String subject, Throwable failure) {
    try {
      logger.warn(format, subject, failure.getMessage());
    } catch (Throwable e) {
      // The work continues without its log line.
    }
  }

  /** Logs an error; does nothing if that fails too. */
  @SuppressWarnings("EmptyCatch") // no further reaction is possible
  public static void error(Logger logger, String message, Throwable error) {
    try {
      logger.error(message, error);
    } catch (Throwable e) {
      // The work continues without its log line.
    }
  }
}
