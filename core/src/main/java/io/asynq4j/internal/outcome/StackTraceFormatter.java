package io.asynq4j.internal.outcome;

import org.jspecify.annotations.Nullable;

/**
 * Formats stack traces that are stored with a task: for each cause a limited number of frames, down
 * to the call of the handler by the server.
 */
final class StackTraceFormatter {

  private static final int MOST_CAUSES = 5;
  private static final int MOST_FRAMES = 15;

  /** Packages that call handlers, and that create errors for them. */
  private static final String SERVER = "io.asynq4j.internal.server.";

  private static final String POLICY = "io.asynq4j.internal.outcome.";

  private StackTraceFormatter() {}

  static String of(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    try {
      Throwable cause = thrown;
      for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
        text.append(i == 0 ? "" : "Caused by: ").append(cause).append('\n');
        append(text, cause.getStackTrace());
        cause = cause.getCause();
      }
    } catch (RuntimeException | Error e) {
      // The methods of the exception failed; the text so far is sufficient.
    }
    return text.toString();
  }

  private static void append(StringBuilder text, @Nullable StackTraceElement[] frames) {
    for (int i = 0; i < frames.length; i++) {
      StackTraceElement frame = frames[i];
      if (frame == null || isOurs(frame.getClassName())) {
        return;
      }
      if (i == MOST_FRAMES) {
        text.append("\t… ").append(frames.length - i).append(" more\n");
        return;
      }
      text.append("\tat ").append(frame).append('\n');
    }
  }

  private static boolean isOurs(String className) {
    return className.startsWith(SERVER) || className.startsWith(POLICY);
  }
}
