package io.asynq4j.internal.text;

import java.util.regex.Pattern;

/**
 * Sanitizes texts of tasks and exceptions for logs: one line, no control characters, limited
 * length. This prevents forged log lines through task names.
 */
public final class LogText {

  /** Names longer than this are cut. */
  private static final int LONGEST_NAME = 200;

  /**
   * Control characters, line ends, halves of surrogate pairs, and characters after which a terminal
   * reorders the rest of the line.
   */
  private static final Pattern SPECIAL =
      Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u202a-\\u202e\\u2066-\\u2069]");

  private LogText() {}

  /** A name, such as a task type, an ID or a queue. */
  public static String name(String name) {
    return of(name, LONGEST_NAME);
  }

  /** Returns the first characters of a text, with an ellipsis for the rest. */
  public static String of(String text, int longest) {
    String kept = text.length() > longest ? text.substring(0, longest) + "…" : text;
    return GoQuotedText.replaceAll(SPECIAL, kept, LogText::escaped);
  }

  private static String escaped(String character) {
    return switch (character) {
      case "\n" -> "\\n";
      case "\r" -> "\\r";
      case "\t" -> "\\t";
      default -> String.format("\\u%04x", character.codePointAt(0));
    };
  }
}
