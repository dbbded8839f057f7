package io.asynq4j.internal.text;

import org.slf4j.Logger;

/** Logs errors on threads that must survive, even if memory for the log line is missing. */
public final class SafeLog {

  private SafeLog() {}

  /**
   * Loads this class and {@link LogText}. Called early, since loading is no longer possible without
   * memory.
   */
  public static void prepare() {
    String unused = LogText.name("");
  }

  /**
   * Returns a message, to be stored in a constant. The JVM creates the text of a literal at its
   * first use, which may fail without memory, so each message is created with its class.
   */
  public static String text(String literal) {
    return literal;
  }

  /** Logs a number and its subject; does nothing if that fails. */
  @SuppressWarnings("EmptyCatch") // no further reaction is possible
  public static void info(Logger logger, String format, int number, Object subject) {
    try {
      logger.info(format, number, subject);
    } catch (Throwable e) {
      // The work continues without its log line.
    }
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
