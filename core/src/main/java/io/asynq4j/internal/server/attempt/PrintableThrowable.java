package io.asynq4j.internal.server.attempt;

import io.asynq4j.internal.text.LogText;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Replaces an exception in a log if its text has several lines, is very long, or cannot be read
 * because its methods throw. It has the same stack trace and causes.
 */
final class PrintableThrowable extends Throwable {

  private static final int LONGEST_TEXT = 2_000;
  private static final int MOST_ERRORS = 50;

  private PrintableThrowable(String text, @Nullable PrintableThrowable cause) {
    super(text, cause);
  }

  /** Returns the exception itself if it can be printed unchanged. */
  static Throwable of(Throwable error) {
    try {
      if (isPrintable(error, seen())) {
        return error;
      }
    } catch (RuntimeException | Error e) {
      // The methods of the exception failed; the copy does without their results.
    }
    return copy(error, seen());
  }

  private static Set<Throwable> seen() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private static boolean isPrintable(Throwable error, Set<Throwable> seen) {
    Throwable cause = error.getCause();
    return seen.size() < MOST_ERRORS
        && seen.add(error)
        && isPrintable(error.toString())
        && isPrintable(error.getMessage())
        && isPrintable(error.getLocalizedMessage())
        && (cause == null || isPrintable(cause, seen))
        && Stream.of(error.getSuppressed()).allMatch(each -> isPrintable(each, seen));
  }

  private static boolean isPrintable(@Nullable String text) {
    return text == null || LogText.of(text, LONGEST_TEXT).equals(text);
  }

  private static PrintableThrowable copy(Throwable error, Set<Throwable> seen) {
    seen.add(error);
    PrintableThrowable copy = new PrintableThrowable(text(error), copiedCause(error, seen));
    try {
      copy.setStackTrace(error.getStackTrace());
      for (Throwable suppressed : error.getSuppressed()) {
        if (isNew(suppressed, seen)) {
          copy.addSuppressed(copy(suppressed, seen));
        }
      }
    } catch (RuntimeException | Error e) {
      // The parts copied so far are sufficient.
    }
    return copy;
  }

  private static @Nullable PrintableThrowable copiedCause(Throwable error, Set<Throwable> seen) {
    try {
      Throwable cause = error.getCause();
      return cause != null && isNew(cause, seen) ? copy(cause, seen) : null;
    } catch (RuntimeException | Error e) {
      return null;
    }
  }

  private static boolean isNew(Throwable error, Set<Throwable> seen) {
    return seen.size() < MOST_ERRORS && !seen.contains(error);
  }

  private static String text(Throwable error) {
    try {
      return LogText.of(String.valueOf(error), LONGEST_TEXT);
    } catch (RuntimeException | Error e) {
      return error.getClass().getName();
    }
  }

  // The message starts with the class of the original; this class would be misleading.
  @SuppressWarnings("OverrideThrowableToString")
  @Override
  public String toString() {
    return String.valueOf(getMessage());
  }
}
