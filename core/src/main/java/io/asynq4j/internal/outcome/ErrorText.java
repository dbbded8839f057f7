package io.asynq4j.internal.outcome;

import io.asynq4j.handler.HandlerNotFoundException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Texts of errors, as they are stored with a task and logged. */
public final class ErrorText {

  /** Maximum number of characters. */
  public static final int LONGEST = 2_000;

  private ErrorText() {}

  /** Returns the text of an error, cut to {@link #LONGEST}. Never throws. */
  public static String of(Throwable error) {
    try {
      return cut(text(error));
    } catch (RuntimeException | Error e) {
      // The methods of the exception failed.
      return error.getClass().getName();
    }
  }

  /** Returns the exception whose stack trace shows where an attempt failed; null if none. */
  public static @Nullable Throwable thrown(Throwable error) {
    return error instanceof HandlerFailureException ? error.getCause() : error;
  }

  static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }

  private static String text(Throwable error) {
    String message = error.getMessage();
    boolean plain =
        error instanceof HandlerFailureException
            || error instanceof DeadlineExceededException
            || error instanceof HandlerNotFoundException
            || error instanceof CancellationException;
    return plain && message != null ? message : error.toString();
  }
}
